// The command line of `syncmeter ab`, and one plan for two builds, which has every point twice.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "driver/plan/options.hpp"
#include "driver/plan/plan.hpp"
#include "driver/text/command_line.hpp"

namespace syncmeter {

/// Returns the workers of both builds, and names unusable workers on stderr. Throws usage_error for
/// a build without workers. Sets any_backend and any_wait.
[[nodiscard]] std::array<std::vector<worker_info>, 2> workers_of_arms(compared_arms& arms);

/// Returns the workers named after their arms, for a campaign.
[[nodiscard]] std::vector<worker_info>
in_arms(const std::array<std::vector<worker_info>, 2>& workers, const compared_arms& arms);

/// Returns the points that both builds have, for both arms, and their pairs. Counts and leaves out
/// points with equal code, and names points of a single build. Throws usage_error like make_plan
/// for names unknown to both builds.
[[nodiscard]] campaign_plan plan_arms(const run_options& options, compared_arms arms,
                                      const std::array<std::vector<worker_info>, 2>& workers,
                                      const topology& machine, const cpu_grant& grant);

/// Joins the two plans. `equal` says whether the points of each pair, from workers `a` and `b`,
/// have equal code.
using code_comparison = std::vector<bool> (*)(
    const std::vector<std::pair<const planned_point*, const planned_point*>>& pairs,
    const std::vector<worker_info>& a, const std::vector<worker_info>& b);
[[nodiscard]] campaign_plan join_plans(std::array<campaign_plan, 2> plans, compared_arms arms,
                                       const std::array<std::vector<worker_info>, 2>& workers,
                                       code_comparison equal);

struct ab_request {
  run_request run;     ///< the campaign's options
  compared_arms arms;  ///< paths may be empty with --resume and a complete file
  std::string format = "text", sees = "50%", blind = "fail";

  /// Returns the options for `syncmeter-report compare`.
  [[nodiscard]] std::vector<std::string> of_comparison() const {
    return {"--format", format, "--sees", sees, "--blind", blind};
  }
};

/// Parses and validates. Throws usage_error.
[[nodiscard]] ab_request parse_ab(const std::vector<std::string>& arguments);

/// Throws usage_error for a name that may not be set.
using refuse_setting = void (*)(const std::string& option, const std::string& name);
/// Returns the row of --env-a or --env-b. `refuse` may be nullptr.
[[nodiscard]] option_row setting_row(const char* name, const char* whose,
                                     std::vector<std::string>& settings,
                                     refuse_setting refuse = nullptr);
/// Returns the largest change that counts as none: "2%" or "0.02", as 0.02.
[[nodiscard]] double parse_threshold(const std::string& option, const std::string& text);
/// Return a change for `syncmeter-report compare` (above 0, 2 as 200%) as text and as a number.
[[nodiscard]] std::string parse_change(const std::string& option, const std::string& text);
[[nodiscard]] double share_of(const std::string& change);

/// Visits to each point without --repetitions.
inline constexpr unsigned usual_ab_visits = 10;

[[nodiscard]] std::string ab_help();
/// Return the options for completion and the manual page, and the common text on A and B.
[[nodiscard]] std::vector<option_row> ab_rows();
[[nodiscard]] std::string ab_notes();

}  // namespace syncmeter
