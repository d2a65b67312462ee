// What the tables of options are printed as beside --help: scripts that complete words in a shell
// (`syncmeter completion`), and the manual page (`syncmeter manual`).
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "driver/text/command_line.hpp"

namespace syncmeter {

/// bash, zsh, fish.
[[nodiscard]] const std::vector<std::string>& shells();

/// Prints the script to `out`. Throws usage_error.
int completion_command(const std::vector<std::string>& arguments, std::FILE* out);

/// The command's options, and how a script is installed.
[[nodiscard]] std::vector<option_row> completion_rows();
[[nodiscard]] std::string completion_notes();

/// Prints the page to `out`. Throws usage_error.
int manual_command(const std::vector<std::string>& arguments, std::FILE* out);

[[nodiscard]] std::vector<option_row> manual_rows();

}  // namespace syncmeter
