// The table of C++20 threads for one type: compiled once per type, with SM_ROWS (the function's
// name) and SM_TYPE (the type; void for the ops without one) given by the build.
#include <type_traits>

#include "backends/std/ops/all.hpp"
#include "backends/std/std_backend.hpp"
#include "core/ops/all.hpp"
#include "core/ops/host.hpp"

namespace syncmeter::standard {

namespace {

template <class... A, class... B> op_list<A..., B...> joined(op_list<A...>, op_list<B...>);
using all_ops = decltype(joined(joined(shared_ops{}, host_ops{}), own_ops{}));

template <class T> std::vector<measurable> rows_of_type() {
  if constexpr (std::is_void_v<T>) {
    static constexpr auto rows = bind_untyped<backend>(all_ops{});
    return {rows.begin(), rows.end()};
  } else {
    static constexpr auto rows = bind_typed<backend, T>(all_ops{});
    return {rows.begin(), rows.end()};
  }
}

}  // namespace

std::vector<measurable> SM_ROWS() { return rows_of_type<SM_TYPE>(); }

}  // namespace syncmeter::standard
