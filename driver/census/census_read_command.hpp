// `syncmeter census read WORKER FILE`: what the ops of a worker are in a program that is built from
// the same loops for another machine, or by another compiler, and cannot be started here.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "driver/text/command_line.hpp"

namespace syncmeter {

/// What it does, for --help and the manual page.
[[nodiscard]] std::string census_read_notes();

/// The command: `arguments` are those after the word `read`. Returns 0, or 1 where the file holds
/// none of the worker's loops. Throws usage_error.
[[nodiscard]] int census_read_command(const std::vector<std::string>& arguments, std::FILE* out);

}  // namespace syncmeter
