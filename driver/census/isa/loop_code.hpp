// Finds the timed loop in a function's code, counts its instructions by class and lists them.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "driver/census/isa/instruction_class.hpp"

namespace syncmeter {

using class_counts = std::map<std::string, int>;

/// An instruction of a timed loop in a form that two builds share. Omits the compiler's free
/// choices: registers, labels, addresses, stack slots.
struct loop_line {
  std::string shape;  ///< with register kinds: "lock xadd r32,(r64)", "jne L"
  std::string text;   ///< with registers in order of first use and the line numbers of labels:
                      ///< "lock xadd r32.0,(r64.1)", "jne L4"
  friend bool operator==(const loop_line&, const loop_line&) = default;
};

struct loop_code {
  class_counts inside;   ///< instructions that can execute repeatedly: the loop and its retry
                         ///< blocks
  class_counts outside;  ///< before and after the loop
  int instructions = 0;  ///< in the loop, without nops
  bool has_loop = false;
  std::vector<loop_line> lines;  ///< the loop itself, if requested
  std::string problem;           ///< why the counts prove nothing, or empty
};

/// Returns lines for the instructions of `body` that satisfy `wanted`, in address order. `classes`
/// has a class for each instruction.
[[nodiscard]] std::vector<loop_line> loop_text(std::span<const instruction> body,
                                               std::span<const instruction_class> classes,
                                               enum machine m,
                                               const std::function<bool(std::size_t)>& wanted);

/// Finds the loop: the only set of instructions on a cycle of the control flow. g++ puts retry
/// blocks after the return, so an address range between two labels would miss retries.
/// Problems: more than one loop, an indirect jump, a jump into an outlined part (NAME.cold,
/// NAME.part.0), or a jump from the loop to another function.
[[nodiscard]] loop_code read_loop(std::span<const instruction> body, enum machine m,
                                  bool with_lines = false);

/// Finds the loop: the only set of instructions on a cycle with a member between the first and last
/// clock reading. Kernels have other loops, for example the gate before the clock. All other
/// instructions are `outside`.
/// Problems: fewer than two clock readings, no loop or several loops between readings, an indirect
/// jump, or a jump from the loop to another function.
[[nodiscard]] loop_code read_timed_loop(std::span<const instruction> kernel,
                                        bool with_lines = false);

}  // namespace syncmeter
