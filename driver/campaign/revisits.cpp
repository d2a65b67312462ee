#include "driver/campaign/revisits.hpp"

#include <algorithm>

#include "core/point.hpp"
#include "driver/results/estimate.hpp"

namespace syncmeter {

revisits::revisits(const std::vector<planned_point>& points) : points_(points) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    // A GPU's lanes have no quiet probe.
    if (!points[i].device) index_.emplace(canonical(points[i].what), i);
  }
}

void revisits::learn(const visit_record& visit) {
  if (visit.device) return;
  if (visit.estimates.empty()) {
    if (const auto found = index_.find(canonical(visit.point)); found != index_.end())
      lost_.insert(found->second);
    return;
  }
  visit_record& kept = visits_.visits.emplace_back();
  kept.point = visit.point;
  kept.visit = visit.visit;
  kept.family = visit.family;
  kept.pus = visit.pus;
  kept.estimates = visit.estimates;
}

std::vector<revisits::wanted> revisits::lacking() const {
  std::vector<wanted> all;
  for (const auto& [name, quiet] : quiet_visits(visits_)) {
    const auto found = index_.find(name);
    if (found == index_.end() || lost_.contains(found->second)) continue;
    // Who asks for fewer visits does not get more of them on a quiet machine.
    const std::size_t wanted_visits =
        std::min<std::size_t>(enough_visits, points_[found->second].visits);
    if (quiet < wanted_visits) all.push_back({found->second, wanted_visits - quiet});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const wanted& a, const wanted& b) { return a.visits > b.visits; });
  return all;
}

}  // namespace syncmeter
