// What may be gained at the sites of a program: bounds, from what was timed there.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "driver/advise/counts.hpp"

namespace syncmeter {

/// Time of the program that a site takes, as far as it was timed: of one thread's path, not the sum
/// of all threads.
struct site_cost {
  /// Waiting for the last thread to arrive; of a lock, from the call until its release has
  /// returned.
  double lateness_s = 0;
  double mechanism_s = 0;  ///< from its arrival on; of a region with the begin; of a lock the calls
};
/// Nothing for a site that was not timed.
[[nodiscard]] std::optional<site_cost> cost_of(const site& of);

struct advice {
  std::string rule;      ///< imbalance, regions, barriers, locks, atomics
  std::size_t site_id;   ///< as in the file: from 1 on
  double at_most_s = 0;  ///< that a change can save
  std::string text;      ///< a few sentences
};

/// The greatest saving first. Nothing below two hundredths of `wall_s`, the time of the run in
/// which the sites were timed.
[[nodiscard]] std::vector<advice> advise_on(const std::vector<site>& sites, double wall_s);

/// Of loads and stores that take much of the CPU time without a call that explains it.
[[nodiscard]] std::vector<std::string> sentences_on_memory(const std::vector<site>& sites);

}  // namespace syncmeter
