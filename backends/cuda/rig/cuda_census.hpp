// The expected machine code of one op in the CUDA backend: the census checks the compiler.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "core/measurable.hpp"

namespace syncmeter::cuda {

/// Returns {"sass": "RED.ADD 1"}, or an empty object without a declaration.
[[nodiscard]] nlohmann::json declared_instructions(const measurable& row);

/// The expected code of an op on Hopper, and on older and newer GPUs if its shape differs there.
/// Rules translate single instructions (rig/architectures.hpp).
struct sass_text {
  std::string hopper;
  std::string before{}, behind{};  ///< empty: as on Hopper
};

/// Returns {"sass": "RED.ADD 1", "sm_100": ..}: the code for Hopper, and for each known or built
/// architecture with different code. Returns an empty object for an empty text.
[[nodiscard]] nlohmann::json declared_sass(const sass_text& text);

}  // namespace syncmeter::cuda
