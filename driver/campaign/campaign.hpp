// Runs a plan: makes passes over all points in random order, starts, stops and kills workers, and
// appends every result to the results file at once.
#pragma once

#include <string>
#include <vector>

#include "driver/plan/plan.hpp"

namespace syncmeter {

/// The end of a campaign.
struct campaign_outcome {
  std::string file;            ///< the results file
  bool any_failed = false;     ///< a point failed or timed out: exit status 1
  bool file_restored = false;  ///< the file was removed or moved meanwhile: exit status 1
  int interrupted_by = 0;      ///< the signal; 0: none, or nothing was left to do
  bool budget_spent = false;   ///< --budget, with visits left
  bool misses_visits = false;  ///< planned visits cannot be measured here now
  double wall_s = 0;
  double timed_s = 0;  ///< inside timed loops and probes
};

/// Measures the plan into a new file (options.output), or continues options.resume. Throws
/// usage_error with the reason when the file cannot be used.
[[nodiscard]] campaign_outcome run_campaign(const campaign_plan& plan, const run_options& options,
                                            const std::vector<worker_info>& workers,
                                            const topology& machine,
                                            const std::vector<std::string>& argv);

}  // namespace syncmeter
