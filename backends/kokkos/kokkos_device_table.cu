// The table of Kokkos' CUDA space for one type: compiled once for each, with SM_TYPE (void for the
// ops without one) given by the build.
#include <type_traits>

#include "backends/kokkos/kokkos_device.cuh"
#include "core/ops/all.hpp"

namespace syncmeter::kokkos {

template <class T> std::vector<measurable> device_rows() {
  if constexpr (std::is_void_v<T>) {
    static constexpr auto all = bind_untyped<device_backend>(shared_ops{});
    return {all.begin(), all.end()};
  } else {
    static constexpr auto all = bind_typed<device_backend, T>(shared_ops{});
    return {all.begin(), all.end()};
  }
}

template std::vector<measurable> device_rows<SM_TYPE>();

}  // namespace syncmeter::kokkos
