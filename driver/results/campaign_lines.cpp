#include "driver/results/campaign_lines.hpp"

#include <array>
#include <cmath>
#include <ctime>
#include <set>

#include "core/point.hpp"
#include "core/worker/protocol.hpp"
#include "driver/results/estimate.hpp"
#include "driver/workers/worker_info.hpp"
#include "git_info.hpp"

namespace syncmeter {
namespace {

using nlohmann::json;

json plan_counts(const campaign_plan& plan) {
  std::size_t same = 0;
  for (const planned_point& planned : plan.points) same += planned.same_as.size();
  const plan_share whole = whole_share(plan);
  json by_backend = json::object();
  for (const auto& [backend, share] : shares_of(plan))
    by_backend[backend] = {{"points", share.points}, {"visits", share.visits}};
  return {{"points", whole.points}, {"visits", whole.visits},
          {"same", same},           {"refused", plan.refused.size()},
          {"backends", by_backend}, {"predicted_s", plan.predicted_s}};
}

constexpr int digits = 7;
// Applies to one round among fifty: the scatter is far larger.
constexpr int digits_of_a_round = 5;

double rounded(double value, int significant) {
  if (value == 0 || !std::isfinite(value)) return value;
  const int places = significant - 1 - static_cast<int>(std::floor(std::log10(std::abs(value))));
  // Divides by a power of ten, because multiplying by the inverse gives a longer text.
  const double power = std::pow(10.0, std::abs(places));
  if (!std::isfinite(power)) return value;  // so small a number has few digits
  return places >= 0 ? std::round(value * power) / power : std::round(value / power) * power;
}

void shorten(json& value) {
  if (value.is_number_float()) value = rounded(value.get<double>(), digits);
  else if (value.is_structured())
    for (json& member : value) shorten(member);
}

// Writes a record as JSON by the rows in its table. If a row names an absent value (not `{}`),
// leaves the member out at 0, false and empty. Lists are always present.
#define SM_WRITE_MEMBER(name, kind, absent, ...)                                                   \
  write(object, #name, record.name, std::string_view(#absent) != "{}");

json written(const objects::lane_waits& record);
json written(const objects::states& record);
json written(const objects::programs& record);

json written(const objects::by_visit& visit) {
  const json host = visit.host_cost_ns != 0 ? json(visit.host_cost_ns) : json();
  return {visit.visit, visit.cost_ns, visit.rounds, host};
}

template <class Value> json written(const Value& value) {
  if constexpr (requires { to_text(value); }) return to_text(value);
  else if constexpr (requires { value.has_value(); }) return *value;
  else return value;
}

template <class Field>
void write(json& object, const char* name, const Field& field, bool also_absent) {
  if (also_absent || !(field == Field{})) object[name] = written(field);
}
template <class Value>
void write(json& object, const char* name, const std::vector<Value>& list, bool) {
  json& values = object[name] = json::array();
  for (const Value& value : list) values.push_back(written(value));
}
void write(json& object, const char* name, const objects::lane_waits& waits, bool) {
  if (waits.count != 0) object[name] = written(waits);
}

json written(const objects::lane_waits& record) {
  json object;
#define SM_MEMBER SM_WRITE_MEMBER
#include "record/lane_waits.def"
  return object;
}

json written(const objects::states& record) {
  json object;
#define SM_MEMBER SM_WRITE_MEMBER
#include "record/state.def"
  return object;
}

json written(const objects::programs& record) {
  json object;
#define SM_MEMBER SM_WRITE_MEMBER
#include "record/programs.def"
  return object;
}

json written(const objects::cpu_use& record) {
  json object;
#define SM_MEMBER SM_WRITE_MEMBER
#include "record/cpu_use.def"
  shorten(object);
  return object;
}

json line_of(const point_summary& s) {
  point_record record = s;
  record.point = s.what;
  record.status = s.status;
  record.reason = s.reason;
  record.visits = s.visits;
  if (s.visits != 0) {
    record.states.push_back(s);
    record.states.insert(record.states.end(), s.other_states.begin(), s.other_states.end());
  }
  json object{{"kind", "point"}};
#define SM_MEMBER SM_WRITE_MEMBER
#include "record/point_line.def"
  shorten(object);
  return object;
}

}  // namespace

std::map<std::string, plan_share> shares_of(const campaign_plan& plan) {
  std::map<std::string, plan_share> shares;
  for (const planned_point& planned : plan.points) {
    plan_share& share = shares[planned.what.backend];
    ++share.points;
    share.visits += planned.visits;
  }
  return shares;
}

plan_share whole_share(const campaign_plan& plan) {
  plan_share whole;
  for (const auto& [backend, share] : shares_of(plan)) {
    whole.points += share.points;
    whole.visits += share.visits;
  }
  return whole;
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text.data();
}

json campaign_line(const campaign_facts& facts, const campaign_plan& plan) {
  json line{{"kind", "campaign"},
            {"schema", {{"major", schema_major}, {"minor", schema_minor}}},
            {"version", SM_VERSION},
            {"git", {{"sha", SM_GIT_SHA}, {"dirty", SM_GIT_DIRTY}}},
            {"time", utc_now()},
            {"argv", facts.argv},
            {"seed", facts.options.seed},
            {"options", facts.options},
            {"machine", facts.machine},
            {"allowed_pus", facts.grant.allowed},
            {"quota_cpus", facts.grant.quota_cpus ? json(*facts.grant.quota_cpus) : json()},
            {"gpus", facts.gpus},
            {"states", facts.states},
            {"states_note", facts.states_note},
            {"plan", plan_counts(plan)}};
  if (!facts.scheduler.is_null()) line["scheduler"] = facts.scheduler;
  if (!facts.units.is_null()) line["units"] = facts.units;
  if (!facts.busy_pus.is_null()) line["busy_pus"] = facts.busy_pus;
  if (!plan.left_out.empty()) line["left_out"] = plan.left_out;
  if (!facts.lane_notes.empty()) line["lane_notes"] = facts.lane_notes;
  if (plan.arms) line["ab"] = arms_json(*plan.arms);
  if (!facts.gpu_notes.empty()) line["gpu_notes"] = facts.gpu_notes;
  return line;
}

json same_line(const planned_point& measured, const point& same) {
  return {{"kind", "same"}, {"point", same}, {"measured_as", measured.what}, {"why", measured.why}};
}

json refused_line(const refused_point& refused) {
  return {{"kind", "refused"},
          {"point", refused.what},
          {"status", refused.status},
          {"reason", refused.reason}};
}

json lost_visit_line(const planned_point& planned, unsigned visit, std::string_view status,
                     std::string_view stopped_by, std::string_view reason) {
  return {{"kind", "visit"},          {"point", planned.what}, {"visit", visit},
          {"time", utc_now()},        {"status", status},      {"reason", reason},
          {"stopped_by", stopped_by}, {"pus", planned.pus},    {"estimates", json::array()},
          {"rounds_taken", 0},        {"rounds_kept", 0}};
}

void make_lean(json& line, const visit_record& visit, bool keep_rounds) {
  if (!keep_rounds && line.contains("rounds")) {
    if (visit.device) {
      const auto participants = static_cast<unsigned>(visit.participants);
      json costs = json::array();
      for (const double cost :
           round_costs_ns(visit, participants != 0 ? participants : warps_of(visit.point)))
        costs.push_back(rounded(cost, digits_of_a_round));
      if (!costs.empty()) line["round_costs_ns"] = std::move(costs);
    }
    line.erase("rounds");
  }
  shorten(line);
}

std::vector<json> point_lines(const results_file& file) {
  std::vector<json> lines;
  for (const point_summary& s : summarize(file))
    if (s.measured_as.empty() && s.visited) lines.push_back(line_of(s));
  return lines;
}

bool has_all_point_lines(const results_file& file) {
  std::set<std::string> lacking;
  for (const visit_record& visit : file.visits) lacking.insert(canonical(visit.point));
  for (const point& what : file.estimated) lacking.erase(canonical(what));
  return lacking.empty();
}

json end_line(const run_totals& totals) {
  json line{{"kind", "end"},           {"time", utc_now()},         {"reason", totals.reason},
            {"visits", totals.visits}, {"wall_ns", totals.wall_ns}, {"timed_ns", totals.timed_ns},
            {"failed", totals.failed}};
  if (totals.cpu_use.elapsed_ns > 0) line["cpu_use"] = written(totals.cpu_use);
  if (!totals.missing.empty()) line["missing"] = totals.missing;
  if (!totals.scheduler.is_null()) line["scheduler"] = totals.scheduler;
  return line;
}

}  // namespace syncmeter
