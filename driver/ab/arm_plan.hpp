// `syncmeter ab`: its command line, and one plan of two builds, in which every point is there
// twice.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "driver/plan/options.hpp"
#include "driver/plan/plan.hpp"
#include "driver/text/command_line.hpp"

namespace syncmeter {

/// The workers of both builds; those that cannot be used are named on stderr. Throws usage_error
/// where a build has none. Sets any_backend and any_wait.
[[nodiscard]] std::array<std::vector<worker_info>, 2> workers_of_arms(compared_arms& arms);

/// The same with everything named after its arm, as a campaign takes them.
[[nodiscard]] std::vector<worker_info>
in_arms(const std::array<std::vector<worker_info>, 2>& workers, const compared_arms& arms);

/// The points that both builds have, each for both, and the pairs of them: not those of equal code,
/// which are counted, nor those of one build alone, which are named. Throws usage_error as
/// make_plan does, for what neither build knows.
[[nodiscard]] campaign_plan plan_arms(const run_options& options, compared_arms arms,
                                      const std::array<std::vector<worker_info>, 2>& workers,
                                      const topology& machine, const cpu_grant& grant);

/// The two plans as one; `equal` says of each pair of points, of workers `a` and `b`, whether their
/// code is equal.
using code_comparison = std::vector<bool> (*)(
    const std::vector<std::pair<const planned_point*, const planned_point*>>& pairs,
    const std::vector<worker_info>& a, const std::vector<worker_info>& b);
[[nodiscard]] campaign_plan join_plans(std::array<campaign_plan, 2> plans, compared_arms arms,
                                       const std::array<std::vector<worker_info>, 2>& workers,
                                       code_comparison equal);

struct ab_request {
  run_request run;     ///< its options are those of the campaign
  compared_arms arms;  ///< with --resume and a complete file they may be left out: paths are empty
  std::string format = "text", sees = "50%", blind = "fail";

  /// What `syncmeter-report compare` is asked for.
  [[nodiscard]] std::vector<std::string> of_comparison() const {
    return {"--format", format, "--sees", sees, "--blind", blind};
  }
};

/// Parses and validates. Throws usage_error.
[[nodiscard]] ab_request parse_ab(const std::vector<std::string>& arguments);

/// Throws usage_error for a name that may not be set.
using refuse_setting = void (*)(const std::string& option, const std::string& name);
/// --env-a or --env-b; `refuse` may be none.
[[nodiscard]] option_row setting_row(const char* name, const char* whose,
                                     std::vector<std::string>& settings,
                                     refuse_setting refuse = nullptr);
/// A change up to which there is none: "2%" or "0.02", as 0.02.
[[nodiscard]] double parse_threshold(const std::string& option, const std::string& text);
/// A change as `syncmeter-report compare` takes it: above 0, and 2 as 200%; and as a number.
[[nodiscard]] std::string parse_change(const std::string& option, const std::string& text);
[[nodiscard]] double share_of(const std::string& change);

/// How many visits of each point, where --repetitions does not say.
inline constexpr unsigned usual_ab_visits = 10;

[[nodiscard]] std::string ab_help();
/// Its options, for completion and the manual page, and what both say of A and B.
[[nodiscard]] std::vector<option_row> ab_rows();
[[nodiscard]] std::string ab_notes();

}  // namespace syncmeter
