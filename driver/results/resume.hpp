// Going on with a results file: only on the machine, with the CPUs and the builds that began it,
// and by the plan that it began with: a worker may be gone since, or a new one there.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "driver/plan/plan.hpp"
#include "driver/results/results.hpp"
#include "driver/results/results_writer.hpp"

namespace syncmeter {

/// What must be the same for a results file to go on: machine, CPUs, GPUs and builds of the
/// workers.
struct campaign_identity {
  std::string cpu_model;
  std::vector<int> allowed_pus;
  build_ids builds;                           ///< by worker and arm
  std::map<std::string, std::string> gpus{};  ///< by backend
};

/// Half a sentence that names both when the file was begun by another schema, on another CPU model,
/// with other allowed PUs, on another GPU, or by another build of a worker; empty otherwise.
[[nodiscard]] std::string difference_between(const results_file& file,
                                             const campaign_identity& now);
/// Throws usage_error where there is a difference.
void require_same_identity(const results_file& file, const campaign_identity& now);

/// Cuts a torn last line off the file that `writer` has locked and `file` was read from, and
/// returns a sentence about it, or nothing. Throws output_error.
std::string cut_torn_tail(results_writer& writer, results_file& file);

/// Reads the file that `writer` has locked and, when it was begun on this campaign_identity, cuts a
/// torn last line off. `note` receives a sentence about the cut, or nothing. Throws usage_error as
/// require_same_identity and read_results do.
[[nodiscard]] results_file reopen(results_writer& writer, const campaign_identity& now,
                                  std::string& note);

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
