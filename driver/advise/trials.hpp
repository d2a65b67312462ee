// `syncmeter advise --try`: settings that an advice makes promising, each tried on the program in
// turn with the program as it is.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "driver/advise/advise.hpp"
#include "driver/campaign/program_pairs.hpp"

namespace syncmeter {

/// A change that needs no other source.
struct setting_to_try {
  std::vector<std::string> settings;  ///< NAME=VALUE
  std::size_t rank = 0;               ///< of the advice that it is for, from 1 on
};

/// What settings depend on, beside the advice.
struct trial_facts {
  unsigned pus = 0;      ///< usable ones; 0: not known
  std::string libomp{};  ///< a runtime of LLVM with libgomp's entry points; empty: none
};
[[nodiscard]] trial_facts facts_of_trials(const program_counts& counted);

/// The settings for each advice, those of the first advice first, each once; without what the
/// environment has already.
[[nodiscard]] std::vector<setting_to_try> settings_to_try(const program_counts& counted,
                                                          const trial_facts& facts);

struct trial {
  setting_to_try what;
  program_comparison found;
};

/// Tries them in turn, each with an equal part of what is left of `options.budget_s`.
[[nodiscard]] std::vector<trial> try_settings(const program_counts& counted,
                                              const std::vector<setting_to_try>& settings,
                                              program_pairs_options options);

/// Prediction beside measurement.
[[nodiscard]] std::string trials_text(const program_counts& counted,
                                      const std::vector<trial>& trials,
                                      const program_pairs_options& options, std::size_t width);
/// A line of record `trial` each.
[[nodiscard]] std::vector<nlohmann::json> trial_lines(const std::vector<trial>& trials);

}  // namespace syncmeter
