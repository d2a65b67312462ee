#include "driver/results/arm_changes.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <unordered_map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "driver/results/estimate.hpp"
#include "driver/text/usage_error.hpp"
#include "driver/workers/arms.hpp"

namespace syncmeter {
namespace {

using nlohmann::json;

/// One arm's visits of a point; of two with one number the later counts.
struct arm_visits {
  std::map<std::uint64_t, const visit_record*> by_number;
  /// Cost and hop by visit number, of each state.
  std::map<state_key, std::map<std::uint64_t, std::array<double, 2>>> costs;
  const point_summary* told = nullptr;

  void read(unsigned lanes, const state_classes& classes) {
    std::vector<const visit_record*> visits;
    std::vector<std::uint64_t> numbers;
    for (const auto& [number, visit] : by_number) {
      visits.push_back(visit);
      numbers.push_back(number);
    }
    for (const auto& [state, estimates] : states_of(visits, lanes, classes)) {
      for (const visit_estimate& e : solid_visits(estimates)) {
        if (e.cost_ns.value > 0) costs[state][numbers[e.visit]] = {e.cost_ns.value, e.hop_ns};
      }
    }
  }
};

struct pair_of_points {
  point what;
  std::array<arm_visits, 2> arms;
};

/// What keeps an arm from being compared; empty: nothing.
std::string obstacle_in(const arm_visits& arm) {
  const point_summary* const s = arm.told;
  if (s == nullptr) return "no visit";
  switch (s->status) {
  case status::ok:
  case status::busy:
    return {};
  case status::timeout:  // a busy machine does that; what other visits saw counts
    if (!arm.costs.empty()) return {};
    break;
  case status::not_resolved:
  case status::interferes:
    return "its cost cannot be told from 0";
  default:
    break;
  }
  return fmt::format("{}{}{}", to_text(s->status), s->reason.empty() ? "" : ": ", s->reason);
}

bool is_settled(const arm_visits& arm) {
  if (arm.told == nullptr) return false;
  const status s = arm.told->status;
  return s == status::failed || s == status::unsupported || s == status::elided ||
         s == status::too_slow;
}

struct paired_costs {
  std::vector<double> first, second, hops_ns;
};

paired_costs in_common(const std::map<std::uint64_t, std::array<double, 2>>& a,
                       const std::map<std::uint64_t, std::array<double, 2>>& b) {
  paired_costs found;
  for (const auto& [number, cost] : a) {
    const auto other = b.find(number);
    if (other == b.end()) continue;
    found.first.push_back(cost[0]);
    found.second.push_back(other->second[0]);
    found.hops_ns.push_back(cost[1]);
  }
  return found;
}

/// The state with most pairs, quiet before busy, then the nearest.
std::pair<state_key, paired_costs> common_state(const std::array<arm_visits, 2>& arms) {
  std::pair<state_key, paired_costs> best;
  const auto rank = [](const state_key& state, const paired_costs& costs) {
    return std::tuple(costs.first.size(), !state.busy, -static_cast<long>(state.state_class));
  };
  for (const auto& [state, costs] : arms[0].costs) {
    const auto other = arms[1].costs.find(state);
    if (other == arms[1].costs.end()) continue;
    paired_costs pairs = in_common(costs, other->second);
    if (rank(state, pairs) > rank(best.first, best.second)) best = {state, std::move(pairs)};
  }
  return best;
}

arm_change change_of(const std::string& key, const pair_of_points& pair, const compared_arms& arms,
                     std::size_t planned, paired_visits& sample) {
  arm_change found{.what = pair.what, .key = key, .change = {}, .why = {}};
  found.what.backend = without_arm(found.what.backend);
  for (std::size_t i = 0; i < 2; ++i) {
    const arm_visits& arm = pair.arms[i];
    if (!arm.by_number.empty())
      found.visits = std::max<std::size_t>(found.visits, arm.by_number.rbegin()->first);
    found.settled = found.settled || is_settled(arm);
    if (const std::string why = obstacle_in(arm); !why.empty() && found.why.empty())
      found.why = fmt::format("in {}: {}", arms.arms[i].name, why);
  }
  sample.share = share_of_look(found.visits, planned, arms.looks_again);
  found.confidence = 1 - chance_of_false_alarm * sample.share;
  if (!found.why.empty()) return found;
  const auto [state, costs] = common_state(pair.arms);
  found.pairs = costs.first.size();
  found.busy = state.busy;
  if (found.pairs < enough_pairs) {
    found.why = fmt::format("{} pair{} of visits in one placement state, {} are needed",
                            found.pairs, found.pairs == 1 ? "" : "s", enough_pairs);
  }
  if (found.pairs == 0) return found;
  found.cost_ns = {median(costs.first), median(costs.second)};
  found.hop_ns = median(costs.hops_ns);
  for (std::size_t i = 0; i < found.pairs; ++i)
    sample.logs.push_back(std::log(costs.second[i] / costs.first[i]));
  return found;
}

bool has_failed(const arm_visits& arm) {
  return arm.told != nullptr && (arm.told->status == status::failed ||
                                 (arm.told->status == status::timeout && arm.costs.empty()));
}

}  // namespace

std::vector<const arm_change*> arm_comparison::of(change_verdict verdict) const {
  std::vector<const arm_change*> found;
  for (const arm_change& each : points) {
    if (each.change.verdict == verdict) found.push_back(&each);
  }
  std::ranges::stable_sort(found, std::greater{}, [verdict](const arm_change* each) {
    return verdict == change_verdict::cannot_tell ? each->change.detectable
                                                  : std::abs(std::log(each->change.ratio.value));
  });
  return found;
}

int arm_comparison::exit_status() const {
  if (!of(change_verdict::slower).empty()) return 1;
  if (std::ranges::any_of(points, &arm_change::broken)) return 1;
  const bool any = arms.equal > 0 ||
                   std::ranges::any_of(points, [](const arm_change& p) { return p.why.empty(); });
  return any ? 0 : 2;
}

std::optional<compared_arms> arms_in(const results_file& file) {
  const auto found = file.campaign.find("ab");
  if (found == file.campaign.end()) return std::nullopt;
  try {
    return found->get<compared_arms>();
  } catch (const json::exception& error) {
    throw usage_error(fmt::format("{}: line 1: invalid 'ab': {}", file.path, error.what()));
  }
}

arm_comparison compare_arms(const results_file& file, const compared_arms& arms,
                            std::size_t planned) {
  arm_comparison comparison{.arms = arms, .points = {}};
  const std::vector<point_summary> summaries = summarize(file);
  std::unordered_map<std::string, const point_summary*> summary_of;
  for (const point_summary& s : summaries) summary_of.emplace(canonical(s.what), &s);

  std::vector<std::string> keys;  // in order of first appearance
  std::unordered_map<std::string, pair_of_points> pairs;
  for (const visit_record& visit : file.visits) {
    const point& what = visit.point;
    const std::string arm = arm_of(what.backend);
    const std::size_t which = arm == arms.arms[0].name ? 0 : 1;
    if (arm != arms.arms[which].name) continue;
    const std::string key = arm_key(what, arms);
    const auto [found, is_new] = pairs.try_emplace(key);
    if (is_new) keys.push_back(key);
    if (is_new || which == 0) found->second.what = what;
    arm_visits& of_arm = found->second.arms[which];
    of_arm.by_number[visit.visit] = &visit;
    if (const auto told = summary_of.find(canonical(what)); told != summary_of.end())
      of_arm.told = told->second;
  }
  const state_classes classes(file);
  std::vector<paired_visits> samples;
  for (const std::string& key : keys) {
    pair_of_points& pair = pairs.at(key);
    for (arm_visits& arm : pair.arms) arm.read(pair.what.lanes, classes);
    comparison.points.push_back(change_of(key, pair, arms, planned, samples.emplace_back()));
    comparison.points.back().broken = has_failed(pair.arms[1]) && !has_failed(pair.arms[0]);
  }
  const std::vector<paired_change> changes = judge_changes(samples, arms.threshold);
  for (std::size_t i = 0; i < changes.size(); ++i) comparison.points[i].change = changes[i];
  return comparison;
}

}  // namespace syncmeter
