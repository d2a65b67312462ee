// The CUDA table for one type: compiled once per type, with SM_ROWS (the function's name) and
// SM_TYPE (the type; void for the ops without one) given by the build.
#include <type_traits>

#include "backends/cuda/cuda_backend.cuh"
#include "backends/cuda/cuda_table.hpp"

namespace syncmeter::cuda {
namespace {

#if defined(SM_SHARED_OPS_ONLY)
using ops_here = shared_ops;
#elif defined(SM_OWN_OPS_ONLY)
using ops_here = own_ops;
#else
template <class... A, class... B> op_list<A..., B...> joined(op_list<A...>, op_list<B...>);
using ops_here = decltype(joined(shared_ops{}, own_ops{}));
#endif

template <class T> consteval auto bound() {
  if constexpr (std::is_void_v<T>) return bind_untyped<backend>(ops_here{});
  else return bind_typed<backend, T>(ops_here{});
}

}  // namespace

std::vector<measurable> SM_ROWS() {
  static constexpr auto rows = bound<SM_TYPE>();
  return {rows.begin(), rows.end()};
}

}  // namespace syncmeter::cuda
