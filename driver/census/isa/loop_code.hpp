// The timed loop inside one function's code: which instructions repeat, counted by class, and what
// they are.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "driver/census/isa/instruction_class.hpp"

namespace syncmeter {

using class_counts = std::map<std::string, int>;

/// An instruction of a timed loop, written so that those of two builds can be compared: without
/// what the compiler was free to choose (registers, labels, addresses, slots of the stack).
struct loop_line {
  std::string shape;  ///< registers by their kind only: "lock xadd r32,(r64)", "jne L"
  std::string text;   ///< registers numbered as they first appear, and labels by the line that they
                      ///< stand for: "lock xadd r32.0,(r64.1)", "jne L4"
  friend bool operator==(const loop_line&, const loop_line&) = default;
};

struct loop_code {
  class_counts inside;   ///< instructions that can execute more than once: the loop and its retry
                         ///< blocks
  class_counts outside;  ///< before and after the loop
  int instructions = 0;  ///< in the loop, without nops
  bool has_loop = false;
  std::vector<loop_line> lines;  ///< the loop itself, where it was asked for
  std::string problem;           ///< why the counts prove nothing; empty when they do
};

/// Those instructions of `body`, which are of these classes, for which `wanted` holds, in order of
/// address.
[[nodiscard]] std::vector<loop_line> loop_text(std::span<const instruction> body,
                                               std::span<const instruction_class> classes,
                                               enum machine m,
                                               const std::function<bool(std::size_t)>& wanted);

/// Finds the loop as the one set of instructions that lie on a cycle of the control flow: g++ puts
/// retry blocks behind the return, so a range of addresses between two labels would miss them.
/// Problems: more than one separate loop, an indirect jump, a jump into a part that the compiler
/// moved out of the function (NAME.cold, NAME.part.0), or out of the loop to another function.
[[nodiscard]] loop_code read_loop(std::span<const instruction> body, enum machine m,
                                  bool with_lines = false);

/// Finds the loop as the one set of instructions that lie on a cycle of the control flow and stand,
/// at least one of them, between the first and the last reading of the clock: a kernel has other
/// loops, such as the gate before the clock. Everything else in the kernel is `outside`.
/// Problems: fewer than two readings of the clock, no loop or more than one between them, an
/// indirect jump, or a jump out of the loop to another function.
[[nodiscard]] loop_code read_timed_loop(std::span<const instruction> kernel,
                                        bool with_lines = false);

}  // namespace syncmeter
