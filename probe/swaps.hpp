// What the library of swaps puts in place of the mutexes and barriers of POSIX threads, as the
// driver asks for it.
#pragma once

#include <cstdint>
#include <cstring>

namespace syncmeter::probe {

/// The environment variable with one of `swap_names`; without it nothing is swapped.
inline constexpr const char* swap_variable = "SYNCMETER_SWAP";

enum class swap_kind { none, adaptive, ttas, ticket, mcs, barrier };
inline constexpr const char* swap_names[] = {"", "adaptive", "ttas", "ticket", "mcs", "barrier"};

/// The environment variable with the path of a file that begins with `swap_counts`; without it no
/// call is counted.
inline constexpr const char* counts_variable = "SYNCMETER_SWAP_COUNTS";
/// Calls for a mutex, or waits at a barrier, of all processes that map the file.
struct swap_counts {
  std::uint64_t swapped, left;  ///< to what was swapped in; to what is left as it is
};

/// A name that is none of them: none.
[[nodiscard]] inline swap_kind swap_of_name(const char* name) {
  for (unsigned i = 1; i < sizeof swap_names / sizeof *swap_names; ++i)
    if (name != nullptr && ::strcmp(name, swap_names[i]) == 0) return static_cast<swap_kind>(i);
  return swap_kind::none;
}

}  // namespace syncmeter::probe
