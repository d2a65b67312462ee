// What one op of the Kokkos backends should compile to, by instruction set: the census holds the
// compiler, and Kokkos, to it.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/measurable.hpp"

namespace syncmeter::kokkos {

/// {"x86-64": "lock_add 1"} for the execution spaces on the host; empty where nothing is declared.
[[nodiscard]] nlohmann::json declared_instructions(const measurable& row);

/// {"sass": "RED.ADD 1"} for the CUDA space; empty where nothing is declared.
[[nodiscard]] nlohmann::json declared_device_instructions(const measurable& row);

}  // namespace syncmeter::kokkos
