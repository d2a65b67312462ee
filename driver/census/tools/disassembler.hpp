// Runs another program that disassembles, and hands over what it prints line by line; and the
// instructions of chosen functions of a program, as objdump prints them.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "driver/census/tools/elf_file.hpp"

namespace syncmeter {

/// The text of one line without its end. The text is gone when the call returns.
using line_sink = std::function<void(std::string_view line)>;

struct disassembler_call {
  std::vector<std::string> arguments;  ///< the first is the program: a path, or a name on PATH
  std::string path;                    ///< the file it reads, for messages
  std::string install;                 ///< what brings it: "install binutils"
  std::string folder{};                ///< where it runs; empty: where this program does
};

/// Runs it with this argument vector, never through a shell: the path may hold blanks and quotes.
/// Throws disassembly_error: it is missing (the text ends with `install`), cannot be started, or
/// failed (with the line of its complaints that says why).
void read_lines_of(const disassembler_call& call, const line_sink& sink);

/// Called once for each range that was found, in order of address, with its instructions.
using code_sink = std::function<void(code_range, std::span<const instruction>)>;

/// The instruction on one line of `objdump -d --no-show-raw-insn`; nothing for every other line.
[[nodiscard]] std::optional<instruction> parse_instruction(std::string_view line);

/// Takes objdump's text line by line and hands over the functions in `ranges` as they end, so that
/// only one function is in memory: a worker has megabytes of loops. Ranges must not overlap; ranges
/// with equal beginnings are one.
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

/// The objdump that reads programs for `m`: this machine's own, or that of the cross compiler.
[[nodiscard]] std::string objdump_for(enum machine m);

/// Runs objdump once over the part of the program, which is for `m`, that holds `ranges`. Throws
/// disassembly_error: objdump is missing, or failed (with the first line of its complaints).
void disassemble(const std::string& path, enum machine m, std::vector<code_range> ranges,
                 const code_sink& sink);

}  // namespace syncmeter
