// What whoever built Kokkos chose.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace syncmeter::kokkos {

/// Versions and options of this Kokkos, for every result.
[[nodiscard]] nlohmann::json kokkos_build();

}  // namespace syncmeter::kokkos
