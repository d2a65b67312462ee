// What `run` and `ab` do before the first visit.
#pragma once

#include <string>

#include "driver/plan/plan.hpp"
#include "driver/results/results.hpp"

namespace syncmeter {

/// The options of a resumed campaign: every setting that decided its points, and on top what was
/// asked for now. Throws usage_error where the file does not tell them.
[[nodiscard]] run_options resumed_options(const run_options& now, const results_file& file);

/// Where lanes keep to quiet PUs, finds those; a resumed campaign keeps to the PUs that it began
/// on.
void avoid_busy_pus(topology& machine, const cpu_grant& grant, const run_options& options);

/// Before the first visit, and before the probes, which take as long as a reader waits in silence.
[[nodiscard]] std::string plan_summary(const campaign_plan& plan, double probing_s);

/// Says on stderr that lanes cannot be bound, where that is so.
void tell_unbound(const cpu_grant& grant);

}  // namespace syncmeter
