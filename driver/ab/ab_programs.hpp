// `syncmeter ab --command`: two whole programs side by side, or one in two environments.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "driver/text/command_line.hpp"

namespace syncmeter {

/// Whether the words behind `syncmeter ab` name programs in place of builds.
[[nodiscard]] bool names_programs(const std::vector<std::string>& arguments);

/// Runs and compares them, and prints the verdict. Exit status as of `ab` on builds. Throws
/// usage_error.
[[nodiscard]] int compare_commands(const std::vector<std::string>& arguments, std::FILE* out);

/// Its options, for help, completion and the manual page.
[[nodiscard]] std::vector<option_row> program_rows();

}  // namespace syncmeter
