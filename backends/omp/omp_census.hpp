// What one op of the OpenMP backend should compile to, by instruction set: the census holds the
// compiler to it.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/measurable.hpp"

namespace syncmeter::omp {

/// {"x86-64": "lock_add 1"}; empty where nothing is declared.
[[nodiscard]] nlohmann::json declared_instructions(const measurable& row);

}  // namespace syncmeter::omp
