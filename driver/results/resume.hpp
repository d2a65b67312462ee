// Continues a results file, only on its machine, with its CPUs, its builds and its plan. Workers
// may have gone or come since.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "driver/plan/plan.hpp"
#include "driver/results/results.hpp"
#include "driver/results/results_writer.hpp"

namespace syncmeter {

/// The properties that must be equal to continue a results file: machine, CPUs, GPUs and worker
/// builds.
struct campaign_identity {
  std::string cpu_model;
  std::vector<int> allowed_pus;
  build_ids builds;                           ///< by worker and arm
  std::map<std::string, std::string> gpus{};  ///< by backend
};

/// Returns half a sentence with both values if the file has another schema, CPU model, set of
/// allowed PUs, GPU, or build of a worker. Returns an empty string otherwise.
[[nodiscard]] std::string difference_between(const results_file& file,
                                             const campaign_identity& now);
/// Throws usage_error for a difference.
void require_same_identity(const results_file& file, const campaign_identity& now);

/// Cuts a torn last line off the locked file of `writer`, from which `file` was read. Returns a
/// sentence about the cut, or nothing. Throws output_error.
std::string cut_torn_tail(results_writer& writer, results_file& file);

/// Reads the locked file of `writer`. If the identity matches, cuts a torn last line off. `note`
/// receives a sentence about the cut, or nothing. Throws usage_error like require_same_identity and
/// read_results.
[[nodiscard]] results_file reopen(results_writer& writer, const campaign_identity& now,
                                  std::string& note);

/// Returns the backends with points in the file's plan, or an empty list if unknown.
[[nodiscard]] std::vector<std::string> backends_planned(const results_file& file);

/// Returns the backends with visits in the file.
[[nodiscard]] std::vector<std::string> visited_backends(const results_file& file);

/// Removes all other backends from the workers.
void keep_backends(std::vector<worker_info>& workers, const std::vector<std::string>& backends);

/// Returns whether a plan has more points than the file's plan.
[[nodiscard]] bool has_more_points(const campaign_plan& plan, const results_file& file);

/// Returns a sentence for each backend with visits that the file's plan has but this plan lacks,
/// except visits in the file. Throws usage_error if this plan has new points.
[[nodiscard]] std::vector<std::string> visits_missing(const campaign_plan& plan,
                                                      const results_file& file,
                                                      const std::vector<worker_info>& workers);

}  // namespace syncmeter
