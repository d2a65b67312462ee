// The instructions of a timed loop, written so that those of two builds can be compared: without
// what the compiler was free to choose (registers, labels, addresses, slots of the stack).
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "driver/census/instruction_class.hpp"

namespace syncmeter {

struct loop_line {
  std::string shape;  ///< registers by their kind only: "lock xadd r32,(r64)", "jne L"
  std::string text;   ///< registers numbered as they first appear, and labels by the line that they
                      ///< stand for: "lock xadd r32.0,(r64.1)", "jne L4"
  friend bool operator==(const loop_line&, const loop_line&) = default;
};

/// Those instructions of `body`, which are of these classes, for which `wanted` holds, in order of
/// address.
[[nodiscard]] std::vector<loop_line> loop_text(std::span<const instruction> body,
                                               std::span<const instruction_class> classes,
                                               enum machine m,
                                               const std::function<bool(std::size_t)>& wanted);

}  // namespace syncmeter
