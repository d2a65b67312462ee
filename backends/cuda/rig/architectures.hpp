// What a declaration, which is for Hopper (sm_90), is on other GPUs: rules for instructions, not
// lists of ops.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace syncmeter::cuda {

/// Those that ops declare for, whichever of them a build has code for: what a compiler makes for
/// the others can be held to it without such a GPU (scripts/atlas --check).
inline constexpr std::array known_architectures{80, 86, 89, 90, 100, 120};

/// Of architecture 80 for sm_80. The alternatives of a declaration stand between bars, their terms
/// between commas
/// ("RED.ADD 1 | ATOMG.ADD 1, REDUX.SUM 1").
[[nodiscard]] std::string on_architecture(std::string_view hopper, int architecture);

}  // namespace syncmeter::cuda
