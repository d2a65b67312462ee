// Shared objects of OpenMP lanes besides cells: the team, and for each cell the API's locks and
// locks from atomics. Reductions stand behind a call, because both sides of a loop must have the
// same code.
#pragma once

#include <omp.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>

#include "core/host/reduction_array.hpp"

namespace syncmeter::omp {

/// Declares reduce_max and fill for a type. reduce_max computes the array's maximum by
/// `reduction(max:)` and returns the difference from the planted maximum: 0. fill writes an array
/// on the same threads.
#define SM_OMP_REDUCTION(TYPE)                                                                     \
  [[nodiscard]] bits_of<TYPE> reduce_max(const reduction_array& input, unsigned lanes, TYPE);      \
  void fill(TYPE* data, std::size_t elements, std::uint64_t seed, reduction_input kind,            \
            unsigned lanes);
SM_OMP_REDUCTION(std::int32_t)
SM_OMP_REDUCTION(std::uint64_t)
SM_OMP_REDUCTION(float)
SM_OMP_REDUCTION(double)
#undef SM_OMP_REDUCTION

/// Hints for lock creation (OpenMP 5.0, 3.3.2).
enum class lock_hint : std::uint8_t { none, uncontended, contended, speculative };
inline constexpr std::size_t lock_hints = 4;

/// Locks for a cell. Separate lines prevent coupling by adjacent-line prefetch. Different addresses
/// within the set make the machine code of each lock distinct.
class lock_set {
 public:
  lock_set();
  ~lock_set();
  lock_set(const lock_set&) = delete;
  lock_set& operator=(const lock_set&) = delete;

  struct alignas(128) hinted_lock {
    omp_lock_t lock;
  };
  /// A fair lock: threads enter in the order of their numbers. Both numbers share a line, like in a
  /// compact lock.
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

/// A team for core/host/host_worker.hpp.
struct omp_team {
  /// Returns false without running `body` if OpenMP provides fewer threads.
  [[nodiscard]] static bool run(unsigned lanes, lane_body body, bench& rig);
  static void release();
};

/// The shared objects of a worker.
class shared_objects {
 public:
  shared_objects() { fit(1); }

  /// Creates locks for this many cells. Must not be called while lanes run.
  void fit(unsigned cells) {
    while (locks_.size() < cells) locks_.emplace_back();
  }
  [[nodiscard]] lock_set& locks_of(unsigned cell) { return locks_[cell]; }

  [[no_unique_address]] omp_team team;
  reduction_array input{};  ///< input of reductions

 private:
  std::deque<lock_set> locks_;  // a deque keeps addresses when growing
};

}  // namespace syncmeter::omp
