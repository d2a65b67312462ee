#include "driver/commands/campaign_start.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "driver/campaign/busy_probe.hpp"
#include "driver/plan/pinned_lanes.hpp"

namespace syncmeter {

run_options resumed_options(const run_options& now, const results_file& file) {
  run_options then;
  try {
    then = file.campaign.at("options").get<run_options>();
  } catch (const std::exception& error) {
    throw usage_error("--resume: '" + *now.resume +
                      "' does not contain the options of its campaign: " + error.what());
  }
  then.resume = now.resume;
  then.retry = now.retry;
  then.budget_s = now.budget_s;
  then.csv = now.csv;
  then.force = now.force;
  then.output.reset();
  then.dry_run = false;
  return then;
}

std::string plan_summary(const campaign_plan& plan, double probing_s) {
  const std::size_t n = plan.points.size();
  std::string text =
      fmt::format("{} point{}, about {:.0f} s", n, n == 1 ? "" : "s", std::ceil(plan.predicted_s));
  if (probing_s > 0)
    text += fmt::format("; the first {:g} s probe the hops between lanes", probing_s);
  return text;
}

void avoid_busy_pus(topology& machine, const cpu_grant& grant, const run_options& options) {
  const auto& policies = options.affinities;
  if (std::find(policies.begin(), policies.end(), affinity::quiet) == policies.end()) return;
  if (options.resume) machine.avoid(busy_in(read_results(*options.resume).campaign));
  else if (!options.dry_run && grant.unbound_because.empty())
    machine.avoid(probe_busy_shares(machine, max_lanes(machine, grant)));
}

void tell_unbound(const cpu_grant& grant) {
  if (!grant.unbound_because.empty())
    std::fprintf(
        stderr,
        "syncmeter: lanes cannot be bound here, so that the operating system places them: %s\n",
        grant.unbound_because.c_str());
}

}  // namespace syncmeter
