// `syncmeter list`: ops x backends, and why what is missing is missing.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "driver/plan/plan.hpp"

namespace syncmeter {

/// The table of what these workers can measure, then what they cannot and why, then workers that
/// cannot be used and what to install.
[[nodiscard]] std::string list_text(const std::vector<worker_info>& workers);

int list_command(const std::vector<std::string>& arguments, std::FILE* out);

}  // namespace syncmeter
