// How long threads that meet were ready to run and had no processor, as the kernel counts it in
// their schedstat: with it the driver leaves out runs in which others had the processors. What a
// thread has waited is read when it ends, and of all that are left when the process ends by itself.
#pragma once

#include <cstdint>

namespace syncmeter::probe {

extern __thread std::uint64_t met_first;
void follow_to_end();
/// At each timed meeting, by each thread: its stamp.
inline void note_meeting(std::uint64_t stamp) {
  if (met_first != 0) [[likely]]
    return;
  met_first = stamp;
  follow_to_end();
}

}  // namespace syncmeter::probe
