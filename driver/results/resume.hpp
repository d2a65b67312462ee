// Going on with a results file: only on the machine, with the CPUs and the builds that began it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

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

/// Throws usage_error, in one sentence that names both, when the file was begun by another schema,
/// on another CPU model, with other allowed PUs, on another GPU, or by another build of a worker.
void require_same_identity(const results_file& file, const campaign_identity& now);

/// Cuts a torn last line off the file that `writer` has locked and `file` was read from, and
/// returns a sentence about it, or nothing. Throws output_error.
std::string cut_torn_tail(results_writer& writer, results_file& file);

/// Reads the file that `writer` has locked and, when it was begun on this campaign_identity, cuts a
/// torn last line off. `note` receives a sentence about the cut, or nothing. Throws usage_error as
/// require_same_identity and read_results do.
[[nodiscard]] results_file reopen(results_writer& writer, const campaign_identity& now,
                                  std::string& note);

}  // namespace syncmeter
