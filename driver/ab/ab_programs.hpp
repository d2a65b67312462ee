// `syncmeter ab --command`: compares two whole programs, or a program in two environments.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "driver/text/command_line.hpp"

namespace syncmeter {

/// Returns whether the words after `syncmeter ab` name programs instead of builds.
[[nodiscard]] bool names_programs(const std::vector<std::string>& arguments);

/// Runs and compares programs, and prints the verdict. The exit status equals that of `ab` for
/// builds. Throws usage_error.
[[nodiscard]] int compare_commands(const std::vector<std::string>& arguments, std::FILE* out);

/// Returns the options for help, completion and the manual page.
[[nodiscard]] std::vector<option_row> program_rows();

}  // namespace syncmeter
