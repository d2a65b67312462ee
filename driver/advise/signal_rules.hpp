// Signals that are sent under the lock which the waiting thread needs, or to all threads that wait
// where one can go on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "driver/advise/rules.hpp"

namespace syncmeter {

/// Where threads wait for them. Whoever wakes under a lock that the sender of the signal has goes
/// to sleep again for it. Sites with a lock or a sender in common are one advice: a change at the
/// senders is for all of them. Where each signal wakes all who wait, and most of them wait again at
/// once, that is the advice.
[[nodiscard]] std::vector<advice> advise_on_signals(const std::vector<site>& sites,
                                                    const advice_setting& setting);

}  // namespace syncmeter
