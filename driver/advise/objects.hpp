// The locks of a program one by one, from what was counted and timed of the sites that take them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "driver/advise/counts.hpp"

namespace syncmeter {

struct lock_object {
  std::uint64_t number = 0;      ///< as sites have it
  std::string kind;              ///< mutex, rwlock, spin, omp_lock, critical
  std::vector<std::size_t> ids;  ///< of the sites that take it, as in the file: from 1 on
  std::uint64_t acquisitions = 0;
  /// By another thread than the one before: as followed, for all acquisitions. Nothing where none
  /// was followed.
  std::optional<double> owner_changes{};
  /// Of those that were timed, those that found it taken; without the waits for a signal, which
  /// take it again.
  std::uint64_t timed = 0, contended = 0;
  /// Of the acquisitions, those of sites where chance would have timed many more: their thread has
  /// another lock meanwhile, whose time goes on. Nothing is known of them where none was timed.
  std::uint64_t hidden = 0;
  std::uint64_t known_for = 0;  ///< all other acquisitions, and those of sites where some were
                                ///< timed
  double call_ns = 0;           ///< of all threads, for these acquisitions
  double held_ns = 0;           ///< likewise
  double short_held_ns = 0;     ///< of a tenth of the acquisitions: where nobody waited
  double exclusive_ns = 0;      ///< of it, without what readers of a rwlock held it
  std::uint64_t address = 0;
  std::set<std::uint32_t> threads{};  ///< that take it; none: not known
};

/// What the clock adds to each interval that is timed, and what a call takes that gets a free lock,
/// with its two looks at the clock: the least of many, on this machine.
struct stamp_costs {
  double stamp_ns = 0, free_lock_ns = 0;
  /// A call for a free mutex and its release in a process with threads, without the clock. glibc
  /// leaves out the atomic instructions in a process with one thread.
  double lock_pair_ns = 0;
};
[[nodiscard]] const stamp_costs& costs_of_stamps();
/// A call that takes as long has found the lock taken: neither its own work nor a line of another
/// cache takes so long.
[[nodiscard]] double waits_from_ns(const stamp_costs& costs);

/// Takes out of all times what the clock added: an interval ends with a look at it, and that of a
/// section has two more inside. Lateness of threads that meet stays: each of them has looked once
/// where it arrived.
void subtract_clock(call_counts& counts, double stamp_ns);

/// The lock that was held for the longest time first; none where nothing was timed.
[[nodiscard]] std::vector<lock_object> objects_of(const call_counts& counts);

}  // namespace syncmeter
