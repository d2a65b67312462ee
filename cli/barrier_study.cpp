#include "cli/barrier_study.hpp"

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include <nlohmann/json.hpp>

#include "cli/figures.hpp"

namespace syncmeter {
namespace {

using nlohmann::json;

bool is_positive(const json& estimate) {
  const json value = estimate.value("cost_ns", json::object()).value("value", json());
  return value.is_number() && value.get<double>() > 0;
}

std::unordered_map<std::string, barrier_cost> visits_by_point(const results_file& file) {
  const state_classes classes(file);
  std::unordered_map<std::string, barrier_cost> all;
  for (const json& visit : file.visits) {
    const auto what = visit.at("point").get<point>();
    barrier_cost& cost = all[canonical(what)];
    cost.visits[visit.value("visit", 1U)] = costs_of(visit, what.lanes, classes);
    const json estimates = visit.value("estimates", json::array());
    cost.all_positive = cost.all_positive && std::ranges::all_of(estimates, is_positive);
  }
  return all;
}

// Whether a ratio may be made of it. What sleeps scatters so much from visit to visit that the
// interval of its cost may hold 0 where none of its visits does.
bool compares(const barrier_cost& cost) {
  return has_cost(*cost.point) || (has_upper_bound(*cost.point) && cost.all_positive);
}

// Every barrier of one policy: those that another policy's measurement stands for too.
struct policy_points {
  std::map<std::string, const point_summary*> by_measured;  // canonical text of what was measured
};

std::map<affinity, policy_points> by_policy(const std::vector<point_summary>& points) {
  std::map<affinity, policy_points> all;
  for (const point_summary& s : points) {
    const bool is_barrier = s.what.op == "barrier" || s.what.op == "barrier_late";
    if (!is_barrier || s.device || s.status == status::unsupported) continue;
    all[s.what.affinity].by_measured.try_emplace(measured_name(s), &s);
  }
  return all;
}

bool same_keys(const policy_points& a, const policy_points& b) {
  return std::ranges::equal(
      a.by_measured, b.by_measured, {}, [](const auto& e) { return e.first; },
      [](const auto& e) { return e.first; });
}

void add(std::vector<barrier_row>& rows, const point_summary& s, barrier_cost cost) {
  auto row = std::ranges::find_if(rows, [&](const barrier_row& r) {
    return r.lanes == s.what.lanes && r.late_us == s.what.late_us;
  });
  if (row == rows.end())
    row = rows.insert(rows.end(), {.lanes = s.what.lanes, .late_us = s.what.late_us, .costs = {}});
  cost.point = &s;
  row->costs[{s.what.backend, s.what.wait}] = std::move(cost);
}

void sort(std::vector<barrier_row>& rows) {
  std::ranges::sort(rows, {}, [](const barrier_row& r) { return std::tuple(r.lanes, r.late_us); });
}

}  // namespace

barrier_ratio::word barrier_ratio::says() const {
  if (visits < 2) return word::unknown;
  constexpr double most = 1 + same_barrier_within;
  if (ratio.low >= 1 / most && ratio.high <= most) return word::same;
  if (ratio.low > most) return word::dearer;
  if (ratio.high < 1 / most) return word::cheaper;
  return word::open;
}

barrier_ratio ratio_of(const barrier_cost& upper, const barrier_cost& lower) {
  barrier_ratio found;
  if (!compares(upper) || !compares(lower)) return found;
  const visit_ratio both = ratio_in_one_state(upper.visits, lower.visits);
  found.ratio = both.ratio;
  found.visits = both.visits;
  return found;
}

std::vector<barrier_placement> barriers_of(const results_file& file,
                                           const std::vector<point_summary>& points) {
  const auto visits = visits_by_point(file);
  std::vector<barrier_placement> all;
  std::vector<const policy_points*> first_of;
  const auto policies = by_policy(points);
  for (const auto& [policy, of_policy] : policies) {
    const std::string name(to_text(policy));
    const auto same =
        std::ranges::find_if(first_of, [&mine = of_policy](const policy_points* other) {
          return same_keys(*other, mine);
        });
    if (same != first_of.end()) {
      all[static_cast<std::size_t>(same - first_of.begin())].affinities += ", " + name;
      continue;
    }
    first_of.push_back(&of_policy);
    barrier_placement& placed = all.emplace_back();
    placed.affinities = name;
    for (const auto& [measured, summary] : of_policy.by_measured) {
      const auto found = visits.find(measured);
      add(summary->what.op == "barrier" ? placed.curve : placed.late, *summary,
          found == visits.end() ? barrier_cost{} : found->second);
    }
    sort(placed.curve);
    sort(placed.late);
  }
  return all;
}

}  // namespace syncmeter
