// `syncmeter explain POINT FILE`.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "driver/text/command_line.hpp"

namespace syncmeter {

[[nodiscard]] std::vector<option_row> explain_rows();

/// What it takes, for --help and the manual page.
[[nodiscard]] std::string explain_notes();

/// The command: `arguments` are those after the word `explain`. Returns 0. Throws usage_error, also
/// where no point of the file, or more than one, is meant.
[[nodiscard]] int explain_command(const std::vector<std::string>& arguments, std::FILE* out);

}  // namespace syncmeter
