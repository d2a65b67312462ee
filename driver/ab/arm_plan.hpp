// From two builds to one plan, in which every point is there twice.
#pragma once

#include <array>
#include <vector>

#include "driver/plan/plan.hpp"

namespace syncmeter {

/// The workers of both builds; those that cannot be used are told on stderr. Throws usage_error
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

/// The two plans as one; `equal_code` as in driver/ab/equal_code.hpp, by pair.
using code_comparison = std::vector<bool> (*)(
    const std::vector<std::pair<const planned_point*, const planned_point*>>& pairs,
    const std::vector<worker_info>& a, const std::vector<worker_info>& b);
[[nodiscard]] campaign_plan join_plans(std::array<campaign_plan, 2> plans, compared_arms arms,
                                       const std::array<std::vector<worker_info>, 2>& workers,
                                       code_comparison equal);

}  // namespace syncmeter
