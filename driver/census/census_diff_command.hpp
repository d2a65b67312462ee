// `syncmeter census diff A B`: what a compiler, a flag or a library changed in the loops.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "driver/text/command_line.hpp"

namespace syncmeter {

/// Its options, for completion and the manual page.
[[nodiscard]] std::vector<option_row> census_diff_rows();

/// What it does, for --help and the manual page.
[[nodiscard]] std::string census_diff_notes();

/// The command: `arguments` are those after the word `diff`. Returns 0 where nothing changed, else
/// 1. Throws usage_error, also where there is nothing to compare.
[[nodiscard]] int census_diff_command(const std::vector<std::string>& arguments, std::FILE* out);

}  // namespace syncmeter
