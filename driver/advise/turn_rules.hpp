// What may be gained where threads take turns, and what they hand over from one to the next takes
// longer to pass on than it is worth: bounds, by what was timed of the calls that wait.
#pragma once

#include <set>
#include <vector>

#include "driver/advise/rules.hpp"

namespace syncmeter {

/// At waits for signals that are not in `advised`, ordered parts of loops, loops that give up their
/// processor until another thread has done something, semaphores, futexes, and where threads are
/// started for small pieces of work.
[[nodiscard]] std::vector<advice> advise_on_turns(const std::vector<site>& sites,
                                                  const advice_setting& setting,
                                                  const std::set<std::size_t>& advised);

}  // namespace syncmeter
