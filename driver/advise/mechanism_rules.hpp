// What the meeting of threads takes by itself, beside those that come late: threads that sleep, and
// so many meetings.
#pragma once

#include <optional>
#include <string>

#include "driver/advise/meeting.hpp"

namespace syncmeter {

/// Waking a thread takes microseconds, up to tens of them, and spinning for it less than one. A
/// runtime spins before it sleeps, and in a large team takes some microseconds all the same; the C
/// library's barrier sleeps at once, so that there more than a spinning thread needs is waking.
[[nodiscard]] std::optional<advice> about_sleeping(const meeting& m);
/// Whether fewer meetings save what is worth saying, and not only a quiet machine: so many take as
/// much at the least price, or they take longer in the program than around equal work.
[[nodiscard]] bool is_mechanism_shown(const meeting& m);
/// What fewer of them save: by the price of one, else all that they take at most.
[[nodiscard]] advice about_mechanism(const meeting& m);
/// Why they are none for advice.
[[nodiscard]] std::string on_equal_meetings(const meeting& m);
/// Whether threads begin a region later than any that is awake, and do not sleep: neither a price
/// nor equal work is there to tell what others of the machine take of that.
[[nodiscard]] bool is_preempted(const meeting& m);
[[nodiscard]] std::string on_preemption(const meeting& m);

}  // namespace syncmeter
