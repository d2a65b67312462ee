// Expected code of Kokkos ops by instruction set. The census checks the compiler and Kokkos against
// these declarations.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/measurable.hpp"

namespace syncmeter::kokkos {

/// Returns {"x86-64": "lock_add 1"} for host spaces, or an empty object without a declaration.
[[nodiscard]] nlohmann::json declared_instructions(const measurable& row);

/// Returns {"sass": "RED.ADD 1"} for the CUDA space, or an empty object without a declaration.
[[nodiscard]] nlohmann::json declared_device_instructions(const measurable& row);

}  // namespace syncmeter::kokkos
