// What one op of MPI should compile to, by instruction set: the census holds the compiler to it.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/measurable.hpp"

namespace syncmeter::mpi {

/// {"x86-64": "call:MPI_Barrier 1"}; empty where nothing is declared.
[[nodiscard]] nlohmann::json declared_instructions(const measurable& row);

}  // namespace syncmeter::mpi
