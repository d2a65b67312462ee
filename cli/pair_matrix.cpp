#include "cli/pair_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>

#include <nlohmann/json.hpp>

#include "cli/figures.hpp"
#include "cli/pinned_lanes.hpp"
#include "cli/table.hpp"
#include "cli/visit_costs.hpp"
#include "core/stats.hpp"

namespace syncmeter {
namespace {

point without_pus(point p) {
  p.pus.clear();
  return p;
}

const processing_unit* unit_of(const pair_matrix& matrix, int os) {
  const auto found = std::ranges::find(matrix.units, os, &processing_unit::os);
  return found == matrix.units.end() ? nullptr : &*found;
}

const point_summary* cost_at(const pair_matrix& matrix, int first, int second) {
  const auto found = matrix.cells.find({first, second});
  return found != matrix.cells.end() && has_cost(*found->second) ? found->second : nullptr;
}

bool overlap(const interval& a, const interval& b) { return a.low <= b.high && b.low <= a.high; }

bool in_one_state(const point_summary& a, const point_summary& b) {
  if (a.hop_ns <= 0 || b.hop_ns <= 0) return true;
  return std::max(a.hop_ns, b.hop_ns) < state_gap * std::min(a.hop_ns, b.hop_ns);
}

}  // namespace

std::vector<pair_matrix> pair_matrices(const results_file& file,
                                       const std::vector<point_summary>& points) {
  std::vector<pair_matrix> matrices;
  const std::vector<processing_unit> units = in_topology_order(units_from(file.campaign));
  std::vector<const point_summary*> pairs;
  for (const point_summary& s : points) {
    const bool refused = s.status == status::unsupported || s.status == status::elided;
    if (s.what.pus.size() == 2 && !units.empty() && !refused) pairs.push_back(&s);
  }
  std::ranges::stable_sort(pairs,
                           [](const auto* a, const auto* b) { return comes_before(*a, *b); });
  std::unordered_map<std::string, std::size_t> matrix_of;
  for (const point_summary* s : pairs) {
    const point what = without_pus(s->what);
    const auto [found, is_new] = matrix_of.try_emplace(canonical(what), matrices.size());
    if (is_new) matrices.push_back({.what = what, .units = units, .cells = {}});
    matrices[found->second].cells[{s->what.pus[0], s->what.pus[1]}] = s;
  }
  // One pair is a row of a table.
  std::erase_if(matrices, [](const pair_matrix& m) { return m.cells.size() < 2; });
  return matrices;
}

std::vector<point_summary> outside(const std::vector<pair_matrix>& matrices,
                                   const std::vector<point_summary>& points) {
  std::set<const point_summary*> inside;
  for (const pair_matrix& matrix : matrices) {
    for (const auto& [pus, seen] : matrix.cells) inside.insert(seen);
  }
  std::vector<point_summary> others;
  for (const point_summary& s : points) {
    if (!inside.contains(&s)) others.push_back(s);
  }
  return others;
}

std::vector<class_costs> costs_by_class(const pair_matrix& matrix) {
  struct seen_of_class {
    class_costs sums;
    std::vector<double> costs, hops;
  };
  std::map<pair_class, seen_of_class> classes;
  for (std::size_t a = 0; a < matrix.units.size(); ++a) {
    for (std::size_t b = a + 1; b < matrix.units.size(); ++b) {
      seen_of_class& seen = classes[class_of(matrix.units[a], matrix.units[b])];
      const int first = matrix.units[a].os, second = matrix.units[b].os;
      bool measured = false;
      for (const point_summary* s :
           {cost_at(matrix, first, second), cost_at(matrix, second, first)}) {
        if (s == nullptr) continue;
        measured = true;
        seen.costs.push_back(s->cost_ns.value);
        if (s->hop_ns > 0) seen.hops.push_back(s->hop_ns);
      }
      ++seen.sums.pairs;
      seen.sums.measured += measured ? 1U : 0U;
    }
  }
  std::vector<class_costs> found;
  for (auto& [which, seen] : classes) {
    class_costs c = seen.sums;
    c.which = which;
    if (!seen.costs.empty()) {
      c.median_ns = median(seen.costs);
      c.least_ns = *std::ranges::min_element(seen.costs);
      c.most_ns = *std::ranges::max_element(seen.costs);
    }
    if (!seen.hops.empty()) c.hop_ns = median(seen.hops);
    found.push_back(c);
  }
  return found;
}

both_ways compare_both_ways(const pair_matrix& matrix) {
  both_ways result;
  std::vector<double> shares;
  for (const auto& [pus, seen] : matrix.cells) {
    if (pus.first >= pus.second || unit_of(matrix, pus.first) == nullptr) continue;
    const point_summary* const there = cost_at(matrix, pus.first, pus.second);
    const point_summary* const back = cost_at(matrix, pus.second, pus.first);
    if (there == nullptr || back == nullptr) continue;
    if (!in_one_state(*there, *back)) {
      ++result.other_state;
      continue;
    }
    ++result.compared;
    result.agree += overlap(there->cost_ns, back->cost_ns) ? 1U : 0U;
    const double sum = there->cost_ns.value + back->cost_ns.value;
    shares.push_back(2 * std::abs(there->cost_ns.value - back->cost_ns.value) / sum);
    if (shares.back() >= result.most_share) {
      result.most_share = shares.back();
      result.farthest = pus;
    }
  }
  if (!shares.empty()) result.median_share = median(shares);
  return result;
}

std::pair<double, double> drift_of(const results_file& file, const pair_matrix& matrix) {
  std::set<std::string> ours;
  for (const auto& [pus, seen] : matrix.cells) ours.insert(canonical(seen->what));
  std::map<unsigned, std::vector<double>> by_pass;
  const state_classes classes(file);
  for (const nlohmann::json& visit : file.visits) {
    const point what = visit.at("point").get<point>();
    if (!ours.contains(canonical(what))) continue;
    for (const auto& [state, cost] : costs_of(visit, what.lanes, classes))
      by_pass[visit.value("visit", 0U)].push_back(cost.ns);
  }
  if (by_pass.size() < 2) return {0, 0};
  std::vector<double> medians;
  for (auto& [pass, costs] : by_pass) medians.push_back(median(costs));
  const auto [least, most] = std::ranges::minmax(medians);
  return {least, most};
}

}  // namespace syncmeter
