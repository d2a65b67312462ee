#include "driver/campaign/undecided_pairs.hpp"

#include <nlohmann/json.hpp>

#include "driver/results/arm_changes.hpp"

namespace syncmeter {

undecided_pairs::undecided_pairs(const campaign_plan& plan) : plan_(plan) {
  for (std::size_t i = 0; i < plan.pairs.size(); ++i)
    pair_by_key_.emplace(arm_key(plan.points[plan.pairs[i][0]].what, *plan.arms), i);
}

void undecided_pairs::learn(const visit_record& visit) {
  if (!plan_.arms) return;
  visit_record& kept = seen_.visits.emplace_back(visit);
  kept.rounds.clear();
  kept.round_costs_ns.clear();
}

std::vector<undecided_pairs::wanted> undecided_pairs::lacking() const {
  std::vector<wanted> all;
  if (!plan_.arms || plan_.points.empty()) return all;
  const arm_comparison seen = compare_arms(seen_, *plan_.arms, plan_.points.front().visits);
  for (const arm_change* each : seen.of(change_verdict::cannot_tell)) {
    const auto found = pair_by_key_.find(each->key);
    if (found != pair_by_key_.end() && !each->settled)
      all.push_back({found->second, next_look_at(each->visits)});
  }
  return all;
}

}  // namespace syncmeter
