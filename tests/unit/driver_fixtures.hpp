// A worker's capabilities and the lines of a results file, made by hand.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "driver/plan/plan.hpp"
#include "driver/results/estimate.hpp"

namespace syncmeter::fixtures {

inline const std::vector<value_type> four_types{value_type::int32, value_type::uint64,
                                                value_type::float32, value_type::float64};

/// One op of a made-up worker. Every combination of type, order and placement has its own machine
/// code unless a test says otherwise afterwards.
struct op_shape {
  std::string op, family = "atomic", pairing = "self";
  std::vector<value_type> types{};
  std::vector<order> orders{order::unordered};
  std::vector<placement> placements{};
  unsigned min_lanes = 1;
  bool in_quick = true;
};

inline std::vector<capability> rows_of(const op_shape& shape) {
  std::vector<capability> rows;
  const auto add = [&](std::optional<value_type> type) {
    for (const order o : shape.orders) {
      for (const placement p :
           shape.placements.empty() ? std::vector{placement::none} : shape.placements) {
        capability row;
        row.backend = "omp";
        row.op = shape.op;
        row.family = shape.family;
        row.pairing = shape.pairing;
        row.type = type;
        row.order = o;
        if (p != placement::none) row.placements = {p};
        row.min_lanes = shape.min_lanes;
        row.in_quick = shape.in_quick;
        row.supported = true;
        if (type) {
          const std::string code =
              fmt::format("{}/{}/{}/{}", shape.op, to_text(*type), to_text(o), to_text(p));
          row.code = {code + "/baseline", code + "/test"};
        }
        rows.push_back(row);
      }
    }
  };
  if (shape.types.empty()) add(std::nullopt);
  for (const value_type type : shape.types) add(type);
  return rows;
}

/// The shared ops as an OpenMP worker offers them.
inline worker_info omp_worker() {
  using enum order;
  const std::vector<order> atomic_orders{relaxed, acq_rel, seq_cst};
  const std::vector<order> fence_orders{unordered, acquire, release, acq_rel, seq_cst};
  const std::vector<placement> both{placement::shared, placement::strided};
  std::vector<op_shape> shapes;
  for (const char* name : {"atomic_add", "atomic_fetch_add", "atomic_cas_pass", "atomic_write",
                           "atomic_write_two_lines", "atomic_read"}) {
    shapes.push_back(
        {.op = name, .types = four_types, .orders = atomic_orders, .placements = both});
  }
  shapes.push_back(
      {.op = "plain_write", .family = "memory", .types = four_types, .placements = both});
  shapes.push_back({.op = "critical_add",
                    .family = "critical",
                    .types = four_types,
                    .placements = {placement::shared}});
  shapes.push_back({.op = "fence_between_adds",
                    .family = "fence",
                    .pairing = "insert",
                    .types = four_types,
                    .orders = fence_orders,
                    .placements = {placement::strided}});
  for (const char* name :
       {"control_multiply_1", "control_multiply_2", "control_multiply_4", "control_multiply_8"}) {
    shapes.push_back({.op = name, .family = "control", .types = four_types});
    shapes.back().in_quick = shapes.back().op.ends_with("_1");
  }
  shapes.push_back({.op = "barrier", .family = "barrier"});
  shapes.push_back({.op = "fence", .family = "fence", .orders = fence_orders});
  shapes.push_back({.op = "handoff", .family = "handoff", .min_lanes = 2});
  shapes.push_back({.op = "control_aa", .family = "control"});
  worker_info worker;
  worker.name = "omp";
  worker.path = "/nowhere/syncmeter-omp";
  worker.backends = {"omp"};
  for (const op_shape& shape : shapes) {
    for (capability& row : rows_of(shape)) worker.capabilities.push_back(std::move(row));
  }
  for (capability& row : worker.capabilities) row.empty_on_purpose = row.op == "control_aa";
  return worker;
}

inline point atomic_add(unsigned lanes = 1) {
  point p;
  p.backend = "omp";
  p.op = "atomic_add";
  p.type = value_type::int32;
  p.placement = placement::shared;
  p.lanes = lanes;
  p.order = order::relaxed;
  p.affinity = affinity::close;
  return p;
}

/// A point that was measured: 5 visits, at this cost.
inline point_summary measured(point what, interval cost, status word = status::ok) {
  point_summary s;
  s.what = std::move(what);
  s.status = word;
  s.visits = 5;
  s.resolved = true;
  s.cost_ns = s.host_cost_ns = cost;
  s.baseline_ns = 6;
  s.test_ns = 6 + cost.value;
  s.fairness = 0.875;
  s.pus = std::vector<int>(s.what.lanes, 0);
  return s;
}

struct estimate_values {
  unsigned state = 0;
  bool busy = false;
  std::size_t rounds = 20;
  double cost = 2.0, low = 1.9, high = 2.1;
  double baseline = 2.0, test = 4.0;
};

/// A visit line as docs/reference/worker-protocol.md has it.
inline nlohmann::json visit(const point& what, unsigned number, const std::string& status,
                            const std::vector<estimate_values>& estimates) {
  nlohmann::json list = nlohmann::json::array();
  std::size_t kept = 0;
  for (const estimate_values& e : estimates) kept += e.rounds;
  for (const estimate_values& e : estimates) {
    const nlohmann::json cost{{"value", e.cost}, {"low", e.low}, {"high", e.high}};
    list.push_back({{"state", e.state},
                    {"busy", e.busy},
                    {"rounds", e.rounds},
                    {"share", static_cast<double>(e.rounds) / static_cast<double>(kept)},
                    {"cost_ns", cost},
                    {"host_cost_ns", cost},
                    {"baseline_ns", e.baseline},
                    {"test_ns", e.test}});
  }
  return {{"kind", "visit"},
          {"id", number},
          {"point", what},
          {"visit", number},
          {"status", status},
          {"reason", status == "ok" ? "" : "because of " + status},
          {"pus", std::vector<int>(what.lanes, 0)},
          {"rounds_taken", kept + 1},
          {"rounds_kept", kept},
          {"drops", {{"moved", 0}, {"preempted", 1}, {"state_changed", 0}, {"throttled", 0}}},
          {"estimates", list},
          {"fairness", 0.98},
          {"slowest_over_fastest", 1.1},
          {"timed_ns", 3e6},
          {"elapsed_ns", 4e6}};
}

inline nlohmann::json campaign_line() {
  return {{"kind", "campaign"}, {"schema", {{"major", schema_major}, {"minor", schema_minor}}}};
}

/// Widens bounds that a test left as they were where it gave another value.
inline void hold_value(nlohmann::json& cost) {
  if (cost.at("low").is_number())
    cost["low"] = std::min(cost["low"].get<double>(), cost["value"].get<double>());
  if (cost.at("high").is_number())
    cost["high"] = std::max(cost["high"].get<double>(), cost["value"].get<double>());
}

inline results_file file_of(const std::vector<nlohmann::json>& visits) {
  results_file file;
  file.path = "made-by-hand.jsonl";
  file.campaign = campaign_line();
  for (nlohmann::json visit : visits) {
    for (nlohmann::json& estimate : visit["estimates"]) {
      for (nlohmann::json& cost : estimate) {
        if (cost.is_object()) hold_value(cost);
      }
    }
    file.visits.push_back(read_visit(visit));
  }
  file.end = {{"kind", "end"}, {"reason", "complete"}, {"wall_ns", 10e6}, {"timed_ns", 7e6}};
  return file;
}

}  // namespace syncmeter::fixtures
