// Which instructions of a function lie on one cycle of its control flow.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "driver/census/instruction_class.hpp"

namespace syncmeter {

struct control_flow {
  std::vector<std::size_t> component;  ///< of each instruction: its strongly connected component
  std::vector<bool> cyclic;            ///< of each component: does it hold a cycle?
  std::vector<std::size_t> leaving;    ///< instructions whose target is not in the function
  bool indirect = false;               ///< there is a jump that nobody can follow

  [[nodiscard]] bool repeats(std::size_t instruction) const {
    return cyclic[component[instruction]];
  }
};

/// `classes` are those of `body`, one each; `body` is in order of address. A cycle by way of one of
/// the instructions `cuts` is none.
[[nodiscard]] control_flow find_control_flow(std::span<const instruction> body,
                                             std::span<const instruction_class> classes,
                                             std::span<const std::size_t> cuts = {});

}  // namespace syncmeter
