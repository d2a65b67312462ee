// The plan that a results file began with, beside the one that this machine makes of it now: a
// worker may be gone, or a new one there.
#pragma once

#include <string>
#include <vector>

#include "driver/plan/plan.hpp"
#include "driver/results/results.hpp"

namespace syncmeter {

/// The backends that the file's plan has points of; empty where the file does not say.
[[nodiscard]] std::vector<std::string> backends_planned(const results_file& file);

/// Backends that the file has visits of.
[[nodiscard]] std::vector<std::string> visited_backends(const results_file& file);

/// Takes all but these backends from the workers.
void keep_backends(std::vector<worker_info>& workers, const std::vector<std::string>& backends);

/// Whether a plan has more points than the file's.
[[nodiscard]] bool has_more_points(const campaign_plan& plan, const results_file& file);

/// A sentence for each backend with visits that the file's plan has and this one lacks, unless they
/// are in the file. Throws usage_error where this plan has points that the file's had not.
[[nodiscard]] std::vector<std::string> visits_missing(const campaign_plan& plan,
                                                      const results_file& file,
                                                      const std::vector<worker_info>& workers);

}  // namespace syncmeter
