// The words that are a whole algorithm of the library, each behind a call, so that both sides of a
// loop hold the same of it whatever the compiler would have made of the copies. They stand in a
// source of their own.
#pragma once

#include <barrier>
#include <cstdint>

namespace syncmeter::standard {

void arrive_and_wait(std::barrier<>& all);

/// Comes back when `box` holds `expected`, by std::atomic_ref::wait (acquire).
void wait_for_token(std::uint64_t& box, std::uint64_t expected);
/// Puts `token` into `box` (release) and wakes who waits for it.
void post_token(std::uint64_t& box, std::uint64_t token);

}  // namespace syncmeter::standard
