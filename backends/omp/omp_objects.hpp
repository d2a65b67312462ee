// What the lanes of OpenMP share beside cells: their team, the API's own locks and those that are
// written with its atomics, one set for each cell that they guard, and what of OpenMP is a parallel
// region of its own, behind a call, so that both sides of a loop hold the same of it.
#pragma once

#include <omp.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>

#include "core/host/reduction_array.hpp"

namespace syncmeter::omp {

/// The maximum of the array by `reduction(max:)` on so many threads; returns how it differs from
/// the maximum that was planted: 0. And what fills such an array, on the same threads.
#define SM_OMP_REDUCTION(TYPE)                                                                     \
  [[nodiscard]] bits_of<TYPE> reduce_max(const reduction_array& input, unsigned lanes, TYPE);      \
  void fill(TYPE* data, std::size_t elements, std::uint64_t seed, reduction_input kind,            \
            unsigned lanes);
SM_OMP_REDUCTION(std::int32_t)
SM_OMP_REDUCTION(std::uint64_t)
SM_OMP_REDUCTION(float)
SM_OMP_REDUCTION(double)
#undef SM_OMP_REDUCTION

/// What a program may tell the runtime about a lock when it makes one (OpenMP 5.0, 3.3.2).
enum class lock_hint : std::uint8_t { none, uncontended, contended, speculative };
inline constexpr std::size_t lock_hints = 4;

/// Each on lines of its own: adjacent-line prefetch must not couple them. Their addresses differ
/// within the set, and so the machine code that uses one does: it is never taken for another's.
class lock_set {
 public:
  lock_set();
  ~lock_set();
  lock_set(const lock_set&) = delete;
  lock_set& operator=(const lock_set&) = delete;

  struct alignas(128) hinted_lock {
    omp_lock_t lock;
  };
  /// Whoever draws the next number is served next. Both numbers lie on one line, as they do where
  /// the lock is written for its size.
  struct ticket_lock {
    std::uint32_t next = 0;
    std::uint32_t serving = 0;
  };

  alignas(128) omp_lock_t plain;
  std::array<hinted_lock, lock_hints> hinted;
  alignas(128) omp_nest_lock_t nested;
  alignas(128) std::uint32_t flag = 0;
  alignas(128) ticket_lock tickets;
};

/// What core/host/host_worker.hpp needs of a team.
struct omp_team {
  /// False, having run nothing, where OpenMP gives fewer threads.
  [[nodiscard]] static bool run(unsigned lanes, lane_body body, bench& rig);
  static void release();
};

/// One set of objects for each worker.
class shared_objects {
 public:
  shared_objects() { fit(1); }

  /// Makes sure that so many cells have locks. Not while lanes run.
  void fit(unsigned cells) {
    while (locks_.size() < cells) locks_.emplace_back();
  }
  [[nodiscard]] lock_set& locks_of(unsigned cell) { return locks_[cell]; }

  [[no_unique_address]] omp_team team;
  reduction_array input{};  ///< what is reduced

 private:
  std::deque<lock_set> locks_;  // whose elements stay where they are as it grows
};

}  // namespace syncmeter::omp
