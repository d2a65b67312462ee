#include "driver/results/campaign_lines.hpp"

#include <array>
#include <ctime>

#include <nlohmann/json.hpp>

#include "core/point.hpp"
#include "driver/results/results.hpp"
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
  if (plan.arms) line["ab"] = *plan.arms;
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

json end_line(const run_totals& totals) {
  json line{{"kind", "end"},           {"time", utc_now()},         {"reason", totals.reason},
            {"visits", totals.visits}, {"wall_ns", totals.wall_ns}, {"timed_ns", totals.timed_ns},
            {"failed", totals.failed}};
  if (!totals.missing.empty()) line["missing"] = totals.missing;
  if (!totals.scheduler.is_null()) line["scheduler"] = totals.scheduler;
  return line;
}

}  // namespace syncmeter
