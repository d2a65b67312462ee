// Runs models for the lock that costs a program time, alternating with the program.
#pragma once

#include "driver/advise/advise.hpp"

namespace syncmeter {

/// Adds models for the lock that costs most time, if record/experiments.def asks for models and no
/// other lock costs as much. Needs a run alone. Drops the output. Returns the seconds for all runs.
double run_models(program_counts& of, const call_counts& timed, double budget_s);

}  // namespace syncmeter
