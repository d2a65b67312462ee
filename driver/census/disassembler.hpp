// Runs another program that disassembles, and hands over what it prints line by line.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

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

}  // namespace syncmeter
