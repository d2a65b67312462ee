// What one op of the CUDA backend should compile to: the census holds the compiler to it.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "core/measurable.hpp"

namespace syncmeter::cuda {

/// {"sass": "RED.ADD 1"}; empty where nothing is declared.
[[nodiscard]] nlohmann::json declared_instructions(const measurable& row);

/// {"sass": text}, and what older GPUs make of it; empty for an empty text.
[[nodiscard]] nlohmann::json declared_sass(std::string text);

}  // namespace syncmeter::cuda
