#include "core/worker/protocol.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace syncmeter {
namespace {

bool too_deep(std::string_view text) {
  unsigned depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      else in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > deepest_json) return true;
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return false;
}

using nlohmann::json;

[[noreturn]] void refuse(std::string_view name, const json& value, const std::string& wanted) {
  throw std::invalid_argument(
      fmt::format("\"{}\" is {}, not {}", name, value.dump(-1, ' ', true), wanted));
}

// Converting a number that does not fit is undefined, or gives another one. nlohmann::json compares
// what is beyond 2^63 as a negative number.
template <class T> bool fits(const json& value, T least, T most) {
  const auto within = [&](auto number) {
    return std::cmp_greater_equal(number, least) && std::cmp_less_equal(number, most);
  };
  if (value.is_number_unsigned()) return within(value.get<std::uint64_t>());
  return value.is_number_integer() && within(value.get<std::int64_t>());
}

template <class T> T whole(std::string_view name, const json& value, T least, T most) {
  if (!fits(value, least, most))
    refuse(name, value, fmt::format("a whole number from {} to {}", least, most));
  return value.get<T>();
}

template <class T>
T whole_or(const json& object, const char* name, T otherwise, T least = 0,
           T most = std::numeric_limits<T>::max()) {
  const auto found = object.find(name);
  return found == object.end() ? otherwise : whole(name, *found, least, most);
}

double not_negative(std::string_view name, const json& value) {
  if (!value.is_number() || value < 0) refuse(name, value, "a number of at least 0");
  return value.get<double>();
}

double not_negative_or(const json& object, const char* name, double otherwise) {
  const auto found = object.find(name);
  return found == object.end() ? otherwise : not_negative(name, *found);
}

template <class Read> auto list_of(const json& list, const char* name, const Read& read) {
  if (!list.is_array()) refuse(name, list, "a list");
  std::vector<decltype(read(list))> values;
  for (const json& value : list) values.push_back(read(value));
  return values;
}

std::vector<double> times_or_none(const json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end()) return {};
  return list_of(*found, name, [&](const json& value) { return not_negative(name, value); });
}

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

nlohmann::json read_json(std::string_view text) {
  if (too_deep(text)) return nlohmann::json(nlohmann::json::value_t::discarded);
  return nlohmann::json::parse(text, nullptr, false);
}

std::vector<int> requested_pus(const json& list) {
  return list_of(list, "pus", [](const json& value) {
    return whole("pus", value, -1, std::numeric_limits<int>::max());
  });
}

measure_request read_measure_request(const json& j, double tick_ns) {
  constexpr unsigned most_visits = 1'000'000;
  measure_request r;
  r.where = j.at("point").get<point>();
  r.lanes.pus = requested_pus(j.at("pus"));
  r.lanes.visit = whole_or(j, "visit", 1U, 1U, most_visits);
  r.resumed = j.value("resumed", false);
  const json o = j.value("options", json::object());
  if (!o.is_object()) refuse("options", o, "an object");
  r.options.precision = not_negative_or(o, "precision", r.options.precision);
  r.options.early_precision = not_negative_or(o, "early_precision", r.options.early_precision);
  r.options.max_time_ns = not_negative_or(o, "max_time_ns", r.options.max_time_ns);
  r.options.min_sample_ns = not_negative_or(o, "min_sample_ns", r.options.min_sample_ns);
  r.options.seed = whole_or(o, "seed", r.options.seed);
  r.options.trips = whole_or(o, "trips", r.options.trips);
  r.options.additivity = o.value("additivity", false);
  r.options.rounds_at_once = whole_or(o, "rounds_at_once", r.options.rounds_at_once);
  r.lanes.watch_states = o.value("watch_states", false);
  r.lanes.quiet_floor_ns = times_or_none(o, "quiet_floor_ns");
  r.options.state_bounds = times_or_none(o, "state_bounds_ns");
  r.options.clock_tick_ns = tick_ns;
  r.lanes.device = whole_or(j, "device", -1, -1);
  if (r.lanes.pus.empty() && r.lanes.device < 0)
    throw std::invalid_argument("\"pus\" is empty: a configuration needs at least one thread");
  if (r.lanes.device < 0 && r.lanes.pus.size() != r.where.lanes) {
    throw std::invalid_argument(
        fmt::format("\"pus\" has {} entries, but the point's \"lanes\" is {}: one CPU per thread",
                    r.lanes.pus.size(), r.where.lanes));
  }
  return r;
}

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
    j["family"] = to_text(info.family);
    j["pairing"] = info.pairing == pairing::self ? "self" : "insert";
    j["cost_per_lane"] = info.cost_per_lane;
    if (info.host_lane) j["host_lane"] = true;
    if (info.launching == launching::cooperative) j["launching"] = "cooperative";
    if (info.launching == launching::cluster) j["launching"] = "cluster";
  }
  if (const auto deviation = host_deviation_ns(result, info)) j["host_deviation_ns"] = *deviation;
  if (result.owner_changes) j["owner_changes"] = *result.owner_changes;
  if (result.additive) {
    j["additivity"] = {{"additive", *result.additive}, {"cost_ns", result.additivity_ns}};
  }
  return j;
}

}  // namespace syncmeter
