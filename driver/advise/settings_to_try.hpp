// What advice makes promising that needs no other source: settings of OpenMP and its runtimes, and
// other locks and barriers by a library that is preloaded.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "driver/advise/advise.hpp"

namespace syncmeter {

struct setting_to_try {
  std::vector<std::string> settings;      ///< NAME=VALUE
  std::size_t rank = 0;                   ///< of the advice, from 1 on; 0: for a lock
  std::size_t lock = 0;                   ///< number of the lock, from 1 on; 0: for an advice
  std::string name{};                     ///< what they stand for; empty: themselves
  std::vector<std::size_t> more_ranks{};  ///< of further advice that it is for
  std::string swap{};                     ///< the lock that it puts in the place of mutexes
  std::string left_out{};                 ///< why it is not tried, a sentence; empty: it is

  [[nodiscard]] std::string text() const;
};

/// What settings depend on, beside the advice.
struct trial_facts {
  unsigned pus = 0;      ///< usable ones; 0: not known
  std::string libomp{};  ///< a runtime of LLVM with libgomp's entry points; empty: none
  std::string swaps{};   ///< the library of other locks; empty: none
};
[[nodiscard]] trial_facts facts_of_trials(const program_counts& counted);

/// The settings for each advice, each once, and then the settings for the first contended mutex.
/// Settings of the environment are left out.
[[nodiscard]] std::vector<setting_to_try> settings_to_try(const program_counts& counted,
                                                          const trial_facts& facts);

}  // namespace syncmeter
