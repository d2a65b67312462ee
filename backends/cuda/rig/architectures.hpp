// Translates declarations for Hopper (sm_90) to other GPUs: rules for instructions, not op lists.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace syncmeter::cuda {

/// All architectures with declarations, even without code in a build. A compiler can be checked for
/// them without such a GPU (scripts/atlas --check).
inline constexpr std::array known_architectures{80, 86, 89, 90, 100, 120};

/// Returns a declaration for an architecture, for example 80 for sm_80. Bars separate alternatives,
/// commas separate terms
/// ("RED.ADD 1 | ATOMG.ADD 1, REDUX.SUM 1").
[[nodiscard]] std::string on_architecture(std::string_view hopper, int architecture);

}  // namespace syncmeter::cuda
