#include "core/worker/visit_json.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include <nlohmann/json.hpp>

#include "core/worker/capabilities.hpp"

namespace syncmeter {
namespace {

constexpr std::size_t most_raw_rounds = 50;

nlohmann::json rounds_json(const std::vector<round>& rounds) {
  // Evenly thinned, so that what is kept spans the visit.
  auto list = nlohmann::json::array();
  const std::size_t kept = std::min(rounds.size(), most_raw_rounds);
  for (std::size_t i = 0; i < kept; ++i) {
    const auto& r = rounds[i * rounds.size() / kept];
    list.push_back({r.span_ns[0], r.span_ns[1], r.state_class, r.busy});
  }
  return list;
}

// Of the cost by the host's clock, per op: sqrt(s1^2 + s2^2) / |r1 - r2|, where s are the standard
// deviations of the times of r ops (Zhang et al., "A Study of Synchronization Methods in Modern
// GPUs", formula 2). Nothing where the host took no times.
std::optional<double> host_deviation_ns(const visit_result& result, const op_info& info) {
  std::array<double, 2> sum{}, squares{};
  const auto n = static_cast<double>(result.rounds.size());
  for (const round& r : result.rounds) {
    for (std::size_t side = 0; side < sum.size(); ++side) {
      if (r.host_ns[side] == 0) return std::nullopt;
      const double from_first = r.host_ns[side] - result.rounds.front().host_ns[side];
      sum[side] += from_first;
      squares[side] += from_first * from_first;
    }
  }
  const double more_ops = static_cast<double>(result.trips) * info.unroll * info.ops_per_step;
  if (n < 2 || more_ops == 0) return std::nullopt;
  double variances = 0;
  for (std::size_t side = 0; side < sum.size(); ++side)
    variances += std::max(squares[side] - sum[side] * sum[side] / n, 0.0) / (n - 1);
  return std::sqrt(variances) / more_ops;
}

}  // namespace

void to_json(nlohmann::json& j, const interval& i) {
  const auto number = [](double x) {
    return std::isfinite(x) ? nlohmann::json(x) : nlohmann::json(nullptr);
  };
  j = {{"value", number(i.value)}, {"low", number(i.low)}, {"high", number(i.high)}};
}

void from_json(const nlohmann::json& j, interval& i) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto number = [&](const char* name, double otherwise) {
    const auto& value = j.at(name);
    return value.is_null() ? otherwise : value.get<double>();
  };
  i = {number("value", 0), number("low", -infinity), number("high", infinity)};
}

nlohmann::json to_visit_json(const visit_result& result, const op_info& info) {
  auto estimates = nlohmann::json::array();
  for (const auto& e : result.estimates) {
    estimates.push_back({{"state", e.state_class},
                         {"busy", e.busy},
                         {"rounds", e.rounds},
                         {"share", e.share},
                         {"cost_ns", e.cost_ns},
                         {"baseline_ns", e.baseline_ns},
                         {"test_ns", e.test_ns},
                         {"hop_ns", e.hop_ns}});
    if (e.host_cost_ns.value != 0) estimates.back()["host_cost_ns"] = e.host_cost_ns;
    if (e.cost_cycles.value != 0) estimates.back()["cost_cycles"] = e.cost_cycles;
  }
  nlohmann::json drops = nlohmann::json::object();
  for (std::size_t d = 1; d < drop_kinds; ++d) {
    drops[std::string{to_text(static_cast<drop>(d))}] = result.drops[d];
  }
  nlohmann::json j{{"status", to_text(result.status)},
                   {"reason", result.reason},
                   {"stopped_by", result.stopped_by},
                   {"trips", result.trips},
                   {"unroll", info.unroll},
                   {"ops_per_step", info.ops_per_step},
                   {"rounds_taken", result.rounds_taken},
                   {"rounds_kept", result.rounds.size()},
                   {"drops", drops},
                   {"estimates", estimates},
                   {"fairness", result.fairness},
                   {"slowest_over_fastest", result.slowest_over_fastest},
                   {"hop_ns", result.hop_ns},
                   {"timed_ns", result.timed_ns},
                   {"elapsed_ns", result.elapsed_ns},
                   {"rounds", rounds_json(result.rounds)}};
  if (!info.name.empty()) {  // else the worker has no such op
    j["family"] = family_name(info.family);
    j["pairing"] = info.pairing == pairing::self ? "self" : "insert";
    j["cost_per_lane"] = info.cost_per_lane;
    if (info.host_lane) j["host_lane"] = true;
    if (info.launching == launching::cooperative) j["launching"] = "cooperative";
    if (info.launching == launching::cluster) j["launching"] = "cluster";
  }
  if (const auto deviation = host_deviation_ns(result, info)) j["host_deviation_ns"] = *deviation;
  if (result.additive) {
    j["additivity"] = {{"additive", *result.additive}, {"cost_ns", result.additivity_ns}};
  }
  return j;
}

}  // namespace syncmeter
