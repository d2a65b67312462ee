// The timed loop inside one function's code: which instructions repeat, counted by class.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "driver/census/instruction_class.hpp"
#include "driver/census/loop_text.hpp"

namespace syncmeter {

using class_counts = std::map<std::string, int>;

struct loop_code {
  class_counts inside;   ///< instructions that can execute more than once: the loop and its retry
                         ///< blocks
  class_counts outside;  ///< before and after the loop
  int instructions = 0;  ///< in the loop, without nops
  bool has_loop = false;
  std::vector<loop_line> lines;  ///< the loop itself, where it was asked for
  std::string problem;           ///< why the counts prove nothing; empty when they do
};

/// Counts one instruction.
void count(class_counts& counts, const instruction_class& what);

/// Finds the loop as the one set of instructions that lie on a cycle of the control flow: g++ puts
/// retry blocks behind the return, so a range of addresses between two labels would miss them.
/// Problems: more than one separate loop, an indirect jump, a jump into a part that the compiler
/// moved out of the function (NAME.cold, NAME.part.0), or out of the loop to another function.
[[nodiscard]] loop_code read_loop(std::span<const instruction> body, enum machine m,
                                  bool with_lines = false);

}  // namespace syncmeter
