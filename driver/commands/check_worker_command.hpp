// `syncmeter check-worker`: tells a worker's author what the worker does wrong.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "driver/text/command_line.hpp"

namespace syncmeter {

/// Status 0: no fault was found, 1: some were. Throws usage_error.
int check_worker_command(const std::vector<std::string>& arguments, std::FILE* out);

[[nodiscard]] std::vector<option_row> check_worker_rows();
[[nodiscard]] std::string check_worker_notes();

}  // namespace syncmeter
