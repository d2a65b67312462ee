// What the wrappers of the probe share: counting a call, and finding the function they stand in
// for.
#pragma once

#include <cstdint>

#include "probe/tables.hpp"

#define SM_EXPORT extern "C" [[gnu::visibility("default"), gnu::noinline]]
/// Where the call of this wrapper returns to: the site.
#define SM_SITE reinterpret_cast<std::uint64_t>(__builtin_return_address(0))

namespace syncmeter::probe {

/// Adds one to the row of this site and thread; with `adds` false makes the row alone. Takes no
/// lock and no memory but at the first event of a site or thread, and may be called from a signal
/// handler.
void count(kind what, std::uint64_t site, unsigned team, bool adds = true);

/// What is timed of a site that this thread has counted; nullptr where there is no room for it.
[[nodiscard]] times_block* times_of(kind what, std::uint64_t site, unsigned row_team,
                                    unsigned threads, std::uint64_t every);
/// Which are timed: each of whose number is a multiple of the first, and one lock in so many; 0:
/// none.
struct timing {
  std::uint64_t meetings = 0, locks = 0;
};
[[nodiscard]] const timing& timed_every();

/// The function that the program would have called without the probe; nullptr where there is none.
[[nodiscard]] void* find_real(const char* name);

/// Found at the first call, which may come before any constructor has run.
template <class Function> struct real_function {
  const char* name;
  Function* found = nullptr;
  [[nodiscard]] Function* get() {
    if (found == nullptr) [[unlikely]]
      found = reinterpret_cast<Function*>(find_real(name));
    return found;
  }
};

/// Threads of the innermost parallel region, as the OpenMP runtime has it.
[[nodiscard]] unsigned team_size();

/// Of the calling thread in its team, from 0 on.
[[nodiscard]] unsigned number_in_team();

/// The result of a call that nobody answers: of a function that the program has not got without us.
template <class Result> [[nodiscard]] Result no_answer() {
  if constexpr (requires { Result{}; }) return Result{};
}

}  // namespace syncmeter::probe
