// What one op of the CUDA backend should compile to: the census holds the compiler to it.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "core/measurable.hpp"

namespace syncmeter::cuda {

/// {"sass": "RED.ADD 1"}; empty where nothing is declared.
[[nodiscard]] nlohmann::json declared_instructions(const measurable& row);

/// What an op should compile to on Hopper, and, where that is code of another shape, on the GPUs
/// before and behind it; what single instructions are elsewhere is a rule (rig/architectures.hpp).
struct sass_text {
  std::string hopper;
  std::string before{}, behind{};  ///< empty: as on Hopper
};

/// {"sass": "RED.ADD 1", "sm_100": ..}: for Hopper, and each architecture that is known or of this
/// build where it is another; empty for an empty text.
[[nodiscard]] nlohmann::json declared_sass(const sass_text& text);

}  // namespace syncmeter::cuda
