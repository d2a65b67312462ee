// The table for one type. The build compiles this file once per SM_TYPE (void for ops without a
// type).
#include "backends/omp_target/target_backend.hpp"

namespace syncmeter::omp_target {

template <class T> std::vector<measurable> rows_of() {
  if constexpr (std::is_void_v<T>) {
    static constexpr auto on_device = bind_untyped<backend>(device_ops{});
    static constexpr auto on_host = bind_untyped<region_backend>(region_ops{});
    std::vector<measurable> all{on_device.begin(), on_device.end()};
    all.insert(all.end(), on_host.begin(), on_host.end());
    return all;
  } else {
    static constexpr auto all = bind_typed<backend, T>(device_ops{});
    return {all.begin(), all.end()};
  }
}

template std::vector<measurable> rows_of<SM_TYPE>();

}  // namespace syncmeter::omp_target
