// `syncmeter manual`: the manual page in roff, made from the table of commands.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "driver/text/command_line.hpp"

namespace syncmeter {

/// Prints the page to `out`. Throws usage_error.
int manual_command(const std::vector<std::string>& arguments, std::FILE* out);

[[nodiscard]] std::vector<option_row> manual_rows();

}  // namespace syncmeter
