#include "driver/plan/sample_first.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "core/machine/pu_pairs.hpp"

namespace syncmeter {

void put_sample_first(campaign_plan& plan, const std::vector<processing_unit>& units,
                      double budget_s) {
  std::set<std::pair<int, int>> sample;
  for (const pu_pair& pair : sampled_pairs(units)) {
    sample.insert({pair.first, pair.second});
    sample.insert({pair.second, pair.first});
  }
  for (planned_point& p : plan.points) {
    const bool in_sample = p.pus.size() == 2 && sample.contains({p.pus[0], p.pus[1]});
    p.stage = in_sample ? 0 : 1;
  }
  plan.left_out =
      fmt::format("pairs beyond a sample of each class, as far as {:g} s do not last for them "
                  "(about {:.0f} s would; --budget)",
                  budget_s, plan.predicted_s);
  plan.budget_s = budget_s;
  plan.predicted_s = std::min(plan.predicted_s, budget_s);
}

}  // namespace syncmeter
