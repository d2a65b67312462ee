// `syncmeter advise --try`: settings that an advice makes promising, each tried on the program in
// turn with the program as it is.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "driver/advise/advise.hpp"
#include "driver/advise/settings_to_try.hpp"
#include "driver/campaign/program_pairs.hpp"

namespace syncmeter {

struct trial {
  setting_to_try what;
  program_comparison found;  ///< of one that is left out: refused, without a run
};

/// Leaves out, with a sentence, those behind as many as `budget_s` has room for where each run of
/// the program takes `run_s`.
void leave_out_beyond_budget(std::vector<setting_to_try>& settings, double run_s, double budget_s);

/// Tries them in turn, each with an equal part of what is left of `options.budget_s`.
[[nodiscard]] std::vector<trial> try_settings(const program_counts& counted,
                                              std::vector<setting_to_try> settings,
                                              program_pairs_options options);

/// Notes with each advice what the best trial of it saved, where times were compared.
void note_trials(std::vector<advice>& advices, const std::vector<trial>& trials,
                 const program_pairs_options& options);

/// Prediction beside measurement.
[[nodiscard]] std::string trials_text(const program_counts& counted,
                                      const std::vector<trial>& trials,
                                      const program_pairs_options& options, std::size_t width);
/// A line of record `trial` each.
[[nodiscard]] std::vector<nlohmann::json> trial_lines(const std::vector<trial>& trials);

}  // namespace syncmeter
