// Locks one by one, in the timed run: which one a call takes, and how it goes from thread to
// thread.
#pragma once

#include <cstdint>

#include "probe/count.hpp"

namespace syncmeter::probe {

[[nodiscard]] std::uint64_t find_number(const void* lock);
/// By its address, from 1 on; 0 where nothing is timed, or where there is no room for another.
[[nodiscard]] inline std::uint64_t number_of_lock(const void* lock) {
  return timed_every().locks == 0 ? 0 : find_number(lock);
}
/// Of a condition that a thread waits for, and gives this lock back meanwhile.
[[nodiscard]] std::uint64_t number_of_condition(const void* condition, std::uint64_t lock);
/// And another one before, under this one.
void note_outer_lock(std::uint64_t condition, std::uint64_t lock);
/// The memory of a lock becomes another lock.
void forget_lock(const void* lock);

/// Whether releases are noted now: always where each call is timed, else in one millisecond of
/// sixteen, as a word that threads write in turn would slow a lock that is taken often.
extern bool follows_owners;
void follow_owners_at(std::uint64_t stamp);
/// Behind the release, by the thread that had the lock.
void follow_release(const void* lock);

}  // namespace syncmeter::probe
