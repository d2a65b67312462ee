#include "cli/visit_ratios.hpp"

#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/figures.hpp"

namespace syncmeter {
namespace {

using nlohmann::json;

std::optional<double> in_one_state(const costs_by_state& a, const costs_by_state& b) {
  std::optional<double> ratio;
  std::pair<bool, std::size_t> best;  // both busy or both quiet, and rounds
  for (const auto& [state, cost] : a) {
    for (const auto& [other_state, other] : b) {
      if (state.first != other_state.first) continue;
      const std::pair rank{state.second == other_state.second, std::min(cost.rounds, other.rounds)};
      if (ratio && rank <= best) continue;
      ratio = cost.ns / other.ns;
      best = rank;
    }
  }
  return ratio;
}

const cost_in_state* likeliest(const costs_by_state& costs) {
  const cost_in_state* best = nullptr;
  for (const auto& [state, cost] : costs) {
    if (best == nullptr || cost.rounds > best->rounds) best = &cost;
  }
  return best;
}

std::optional<double> of_likeliest(const costs_by_state& a, const costs_by_state& b) {
  const cost_in_state* const one = likeliest(a);
  const cost_in_state* const other = likeliest(b);
  if (one == nullptr || other == nullptr) return std::nullopt;
  return one->ns / other->ns;
}

template <class Compare>
visit_ratio over(const costs_by_visit& a, const costs_by_visit& b, const Compare& compare) {
  std::vector<double> ratios;
  for (const auto& [number, costs] : a) {
    const auto other = b.find(number);
    if (other == b.end()) continue;
    if (const auto ratio = compare(costs, other->second)) ratios.push_back(*ratio);
  }
  if (ratios.empty()) return {};
  return {.ratio = over_visits(ratios), .visits = ratios.size()};
}

std::string figure(double value) {
  const bool plain = value >= 0.995 && value < 999.5;
  return plain ? fmt::format("{:.2f}", value) : fmt::format("{:.3g}", value);
}

}  // namespace

measured_costs costs_by_point(const results_file& file, const state_classes& classes) {
  measured_costs all;
  for (const json& visit : file.visits) {
    const auto what = visit.at("point").get<point>();
    all[canonical(what)][visit.value("visit", 1U)] = costs_of(visit, what.lanes, classes);
  }
  return all;
}

std::string measured_name(const point_summary& s) {
  return s.measured_as.empty() ? canonical(s.what) : s.measured_as;
}

visit_ratio ratio_in_one_state(const costs_by_visit& a, const costs_by_visit& b) {
  return over(a, b, in_one_state);
}

visit_ratio ratio_of_likeliest(const costs_by_visit& a, const costs_by_visit& b) {
  return over(a, b, of_likeliest);
}

visit_ratio ratio_of(const measured_costs& costs, const point_summary& a, const point_summary& b,
                     visit_ratio (*compare)(const costs_by_visit&, const costs_by_visit&)) {
  if (!has_cost(a) || !has_cost(b)) return {};
  const auto one = costs.find(measured_name(a));
  const auto other = costs.find(measured_name(b));
  if (one == costs.end() || other == costs.end() || one == other) return {};
  return compare(one->second, other->second);
}

visit_ratio inverse(const visit_ratio& r) {
  if (r.visits == 0) return r;
  return {.ratio = {1 / r.ratio.value, 1 / r.ratio.high, 1 / r.ratio.low}, .visits = r.visits};
}

visit_ratio times(double factor, const visit_ratio& r) {
  return {.ratio = {factor * r.ratio.value, factor * r.ratio.low, factor * r.ratio.high},
          .visits = r.visits};
}

std::string ratio_text(const visit_ratio& r) { return r.visits == 0 ? "" : figure(r.ratio.value); }

std::string bounds_text(const visit_ratio& r) {
  return r.visits < 2 ? "" : fmt::format("{}..{}", figure(r.ratio.low), figure(r.ratio.high));
}

std::string ratio_with_bounds(const visit_ratio& r) {
  if (r.visits == 0) return "unknown";
  return fmt::format("{} ({})", ratio_text(r), r.visits < 2 ? "one visit" : bounds_text(r));
}

}  // namespace syncmeter
