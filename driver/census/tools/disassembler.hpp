// Runs an external disassembler and passes its output on line by line. Also reads the instructions
// of chosen functions from objdump.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "driver/census/tools/elf_file.hpp"

namespace syncmeter {

/// Called with a line without its end. The text is valid only during the call.
using line_sink = std::function<void(std::string_view line)>;

struct disassembler_call {
  std::vector<std::string> arguments;  ///< the program first: a path, or a name on PATH
  std::string path;                    ///< the input file, for messages
  std::string install;                 ///< installation hint: "install binutils"
  std::string folder{};                ///< working folder, or empty for the current folder
};

/// Runs the argument vector without a shell, because the path may have blanks and quotes. Throws
/// disassembly_error if the program is missing (text ends with `install`), cannot be started, or
/// failed (text has its main error line).
void read_lines_of(const disassembler_call& call, const line_sink& sink);

/// Called once for each range with code, in address order.
using code_sink = std::function<void(code_range, std::span<const instruction>)>;

/// Returns the instruction on a line of `objdump -d --no-show-raw-insn`, or nothing for any other
/// line.
[[nodiscard]] std::optional<instruction> parse_instruction(std::string_view line);

/// Reads objdump output line by line and passes on each function in `ranges` at its end. Keeps one
/// function in memory, because a worker has megabytes of loops. Ranges must not overlap. Ranges
/// with the same beginning become one range.
class disassembly_reader {
 public:
  disassembly_reader(std::vector<code_range> ranges, code_sink sink);
  void add_line(std::string_view line);
  void finish();

 private:
  void hand_over();

  std::vector<code_range> ranges_;
  code_sink sink_;
  std::size_t current_ = 0;
  std::vector<instruction> body_;
};

/// Returns the objdump for `m`: native or from the cross compiler.
[[nodiscard]] std::string objdump_for(enum machine m);

/// Runs objdump once over the program part with all `ranges`, for machine `m`. Throws
/// disassembly_error if objdump is missing or failed (with its first error line).
void disassemble(const std::string& path, enum machine m, std::vector<code_range> ranges,
                 const code_sink& sink);

}  // namespace syncmeter
