// `syncmeter completion SHELL`: a script for a shell, made from the table of commands.
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

}  // namespace syncmeter
