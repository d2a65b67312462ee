// What may be gained where threads take turns, and what they hand over from one to the next takes
// longer to pass on than it is worth: bounds, by what was timed of the calls that wait.
#pragma once

#include <vector>

#include "driver/advise/rules.hpp"

namespace syncmeter {

/// At waits for signals that `advised` is not about, ordered parts of loops, loops that give up
/// their processor until another thread has done something, semaphores, futexes, and where threads
/// are started for small pieces of work.
[[nodiscard]] std::vector<advice> advise_on_turns(const std::vector<site>& sites,
                                                  const advice_setting& setting,
                                                  const std::vector<advice>& advised);

}  // namespace syncmeter
