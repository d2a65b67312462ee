// The instructions of chosen functions of a program, as objdump prints them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "driver/census/elf_symbols.hpp"

namespace syncmeter {

/// One line of objdump. On x86 the operands are in AT&T order: the destination comes last.
struct instruction {
  std::uint64_t address = 0;
  std::string prefixes;  ///< "lock", "data16 cs", ...; usually empty
  std::string mnemonic;  ///< as printed, with its size suffix
  std::string operands;  ///< without objdump's comment and without the name of a target
  std::string target;    ///< what a jump, a call or a program-relative operand names: "f@plt",
                         ///< "f+0x10"
  std::optional<std::uint64_t> target_address;  ///< where a direct jump or call goes
};

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
/// disassembly_error: objdump is missing, or failed (with the first line it said).
void disassemble(const std::string& path, enum machine m, std::vector<code_range> ranges,
                 const code_sink& sink);

}  // namespace syncmeter
