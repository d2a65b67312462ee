// What whoever built Kokkos chose, as its headers and its CMake configuration say.
#include <Kokkos_Core.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "backends/kokkos/kokkos_build.hpp"

namespace syncmeter::kokkos {

nlohmann::json kokkos_build() {
  nlohmann::json j{{"api", fmt::format("Kokkos {}.{}.{}", KOKKOS_VERSION / 10000,
                                       KOKKOS_VERSION / 100 % 100, KOKKOS_VERSION % 100)},
                   {"devices", SM_KOKKOS_DEVICES},
                   {"architectures", SM_KOKKOS_ARCHITECTURES},
                   {"options", SM_KOKKOS_OPTIONS},
                   {"libraries", SM_KOKKOS_LIBRARIES},
                   {"built_by", SM_KOKKOS_BUILT_BY}};
#if defined(KOKKOS_ENABLE_OPENMP)
  j["openmp"] = _OPENMP;
#endif
  return j;
}

}  // namespace syncmeter::kokkos
