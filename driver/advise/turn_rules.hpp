// What may be gained where threads take turns, and what they hand over from one to the next takes
// longer to pass on than it is worth: bounds, by what was timed of the calls that wait.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "driver/advise/rules.hpp"

namespace syncmeter {

/// Of Python's interpreter, which one thread has at a time (the GIL), by the function of it that
/// sends a signal when it gives the interpreter back. Waits for signals there are no queue's.
[[nodiscard]] std::set<std::uint64_t> locks_of_interpreter(const std::vector<site>& sites);

/// Where threads wait for the interpreter, at waits for signals that `advised` is not about,
/// ordered parts of loops, loops that give up their processor until another thread has done
/// something, semaphores, futexes, and where threads are started for small pieces of work.
[[nodiscard]] std::vector<advice> advise_on_turns(const std::vector<site>& sites,
                                                  const advice_setting& setting,
                                                  const std::vector<advice>& advised);

}  // namespace syncmeter
