#include "driver/results/point_lines.hpp"

#include <set>

#include "core/point.hpp"
#include "core/worker/visit_json.hpp"
#include "driver/results/lean_line.hpp"

namespace syncmeter {
namespace {

using nlohmann::json;

void add_unless_empty(json& line, const char* member, const std::string& text) {
  if (!text.empty()) line[member] = text;
}

json state_json(const point_summary& s) {
  json state{
      {"state", s.state_class},       {"busy", s.busy},      {"hop_ns", s.hop_ns},
      {"visits", s.visits},           {"rounds", s.rounds},  {"resolved", s.imported || s.resolved},
      {"status", to_text(s.status)},  {"reason", s.reason},  {"cost_ns", s.cost_ns},
      {"baseline_ns", s.baseline_ns}, {"test_ns", s.test_ns}};
  if (s.host_timed) state["host_cost_ns"] = s.host_cost_ns;
  if (s.cost_cycles.value != 0) state["cost_cycles"] = s.cost_cycles;
  json by_visit = json::array();
  for (const auto& [number, cost] : s.by_visit)
    by_visit.push_back({number, cost.cost_ns, cost.rounds});
  state["by_visit"] = std::move(by_visit);
  return state;
}

json line_of(const point_summary& s) {
  const op_facts facts = facts_of(s);
  json line{{"kind", "point"},
            {"point", s.what},
            {"status", to_text(s.status)},
            {"visits", s.visits},
            {"rounds_kept", s.rounds_kept},
            {"rounds_dropped", s.rounds_dropped},
            {"pus", s.pus},
            {"states", json::array()}};
  if (s.visits != 0) {
    line["states"].push_back(state_json(s));
    for (const point_summary& other : s.other_states) line["states"].push_back(state_json(other));
    line["fairness"] = s.fairness;
    line["slowest_over_fastest"] = s.slowest_over_fastest;
  }
  add_unless_empty(line, "reason", s.reason);
  if (s.reported) {
    line["family"] = facts.family;
    line["pairing"] = facts.inserted ? "insert" : "self";
    line["cost_per_lane"] = facts.cost_per_lane;
    if (facts.participants != 0) line["participants"] = facts.participants;
    if (facts.host_lane) line["host_lane"] = true;
    if (facts.devices > 1) line["devices"] = facts.devices;
    add_unless_empty(line, "launching", facts.launching);
  }
  add_unless_empty(line, "build", s.build);
  if (s.device) line["device"] = *s.device;
  if (s.additive) line["additive"] = *s.additive;
  if (!s.lane_waits.is_null()) line["lane_waits"] = s.lane_waits;
  if (s.imported) line["imported"] = true;
  if (s.oversubscribed) line["oversubscribed"] = true;
  add_unless_empty(line, "doubt", s.doubt);
  make_lean(line, true);
  return line;
}

}  // namespace

std::vector<json> point_lines(const results_file& file) {
  std::vector<json> lines;
  for (const point_summary& s : summarize(file)) {
    if (s.measured_as.empty() && s.visited) lines.push_back(line_of(s));
  }
  return lines;
}

bool has_all_point_lines(const results_file& file) {
  std::set<std::string> lacking;
  for (const json& visit : file.visits) lacking.insert(canonical(visit.at("point").get<point>()));
  for (const point& what : file.estimated) lacking.erase(canonical(what));
  return lacking.empty();
}

}  // namespace syncmeter
