// The table of one execution space for one type: compiled once for each, with SM_SPACE and SM_TYPE
// (void for the ops without one) given by the build.
#include <type_traits>

#include "backends/kokkos/kokkos_backend.hpp"
#include "backends/kokkos/ops/all.hpp"
#include "core/ops/all.hpp"

namespace syncmeter::kokkos {

using all_ops = decltype(joined(shared_ops{}, own_ops{}));

template <class Space, class T> std::vector<measurable> rows() {
  if constexpr (std::is_void_v<T>) {
    static constexpr auto all = bind_untyped<backend<Space>>(all_ops{});
    return {all.begin(), all.end()};
  } else {
    static constexpr auto all = bind_typed<backend<Space>, T>(all_ops{});
    return {all.begin(), all.end()};
  }
}

template std::vector<measurable> rows<Kokkos::SM_SPACE, SM_TYPE>();

}  // namespace syncmeter::kokkos
