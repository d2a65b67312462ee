#include "driver/campaign/revisits.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/point.hpp"
#include "driver/results/point_states.hpp"

namespace syncmeter {

using nlohmann::json;

revisits::revisits(const std::vector<planned_point>& points) : points_(points) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    // A GPU's lanes have no quiet probe.
    if (!points[i].device) index_.emplace(canonical(points[i].what), i);
  }
}

void revisits::learn(const json& visit_line) {
  if (visit_line.contains("device")) return;
  const auto estimates = visit_line.find("estimates");
  if (estimates == visit_line.end() || estimates->empty()) {
    const auto point_told = visit_line.find("point");
    if (point_told == visit_line.end()) return;
    if (const auto found = index_.find(canonical(point_told->get<point>())); found != index_.end())
      lost_.insert(found->second);
    return;
  }
  json kept;
  for (const char* member : {"point", "visit", "family", "pus", "estimates"}) {
    if (const auto found = visit_line.find(member); found != visit_line.end())
      kept[member] = *found;
  }
  seen_.visits.push_back(std::move(kept));
}

std::vector<revisits::wanted> revisits::lacking() const {
  std::vector<wanted> all;
  for (const auto& [name, quiet] : quiet_visits(seen_)) {
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
