// The command line of `syncmeter ab`.
#pragma once

#include <string>
#include <vector>

#include "driver/plan/compared_arms.hpp"
#include "driver/plan/options.hpp"
#include "driver/text/command_line.hpp"

namespace syncmeter {

struct ab_request {
  run_request run;     ///< its options are those of the campaign
  compared_arms arms;  ///< with --resume, those of the file are used
  std::string format = "text";
};

/// Parses and validates. Throws usage_error.
[[nodiscard]] ab_request parse_ab(const std::vector<std::string>& arguments);

/// How many visits of each point, where --visits does not say.
inline constexpr unsigned usual_ab_visits = 10;

[[nodiscard]] std::string ab_help();
/// Its options, for completion and the manual page, and what both say of A and B.
[[nodiscard]] std::vector<option_row> ab_rows();
[[nodiscard]] std::string ab_notes();

}  // namespace syncmeter
