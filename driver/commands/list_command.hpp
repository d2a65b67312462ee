// `syncmeter list`: ops x backends, and why what is missing is missing.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "driver/text/command_line.hpp"
#include "driver/workers/worker_info.hpp"

namespace syncmeter {

/// What these workers can measure, then what they cannot and why, then workers that cannot be used
/// and what to install: in 80 columns, or `wide` with a row for each op of each backend.
[[nodiscard]] std::string list_text(const std::vector<worker_info>& workers, bool wide);

int list_command(const std::vector<std::string>& arguments, std::FILE* out);

/// Its options, for the completion of shells and the manual page.
[[nodiscard]] std::vector<option_row> list_rows();

}  // namespace syncmeter
