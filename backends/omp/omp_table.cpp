// The OpenMP table for one type: compiled once per type, with SM_ROWS (the function's name) and
// SM_TYPE (the type; void for the ops without one) given by the build.
#include <type_traits>

#include "backends/omp/omp_backend.hpp"
#include "core/ops/all.hpp"

namespace syncmeter::omp {

namespace {

template <class T> std::vector<measurable> rows_of_type() {
  if constexpr (std::is_void_v<T>) {
    static constexpr auto rows = bind_untyped<backend>(shared_ops{});
    return {rows.begin(), rows.end()};
  } else {
    static constexpr auto rows = bind_typed<backend, T>(shared_ops{});
    return {rows.begin(), rows.end()};
  }
}

}  // namespace

std::vector<measurable> SM_ROWS() { return rows_of_type<SM_TYPE>(); }

}  // namespace syncmeter::omp
