// Runs a plan: passes over all points in random order, workers started, stopped and killed as
// needed, every result appended to the results file the moment it arrives.
#pragma once

#include <string>
#include <vector>

#include "driver/plan/plan.hpp"

namespace syncmeter {

/// How a campaign ended.
struct campaign_outcome {
  std::string file;            ///< the results file
  bool any_failed = false;     ///< a point failed or timed out: exit status 1
  bool file_restored = false;  ///< it was removed or moved meanwhile: exit status 1
  int interrupted_by = 0;      ///< the signal; 0: none, or nothing was left to do
  bool budget_spent = false;   ///< --budget, with visits left
  bool misses_visits = false;  ///< of the plan, which cannot be measured here now
  double wall_s = 0;
  double timed_s = 0;  ///< inside timed loops and probes
};

/// Measures the plan into a new file (options.output), or goes on with options.resume. Throws
/// usage_error when the file cannot be used; the text says why.
[[nodiscard]] campaign_outcome run_campaign(const campaign_plan& plan, const run_options& options,
                                            const std::vector<worker_info>& workers,
                                            const topology& machine,
                                            const std::vector<std::string>& argv);

}  // namespace syncmeter
