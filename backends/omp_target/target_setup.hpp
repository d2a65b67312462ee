// What the host gives to a kernel and what its threads bring back, on the device and on the host;
// and the clocks that a thread reads.
#pragma once

#include <omp.h>

#include <cstddef>
#include <cstdint>

#include "core/harness/oracle.hpp"

namespace syncmeter::omp_target {

/// g++ runs a thread of OpenMP as a warp: what is not in a `simd` loop one lane of it does, and of
/// a `simd` loop each does an iteration.
inline constexpr unsigned simd_lanes = 32;

/// Cycles of this multiprocessor, and ns of the device; on the host 0 cycles, and its own time.
struct clock_reading {
  std::uint64_t cycles = 0, ns = 0;
};

/// When a thread began and ended its loop.
struct thread_record {
  clock_reading first, last;
};

/// What OpenMP gave of what a launch asked for.
struct team_sizes {
  unsigned teams = 0, threads = 0;
};

/// A lock of a cell, on lines of its own.
struct alignas(128) cell_lock {
  omp_lock_t lock;
};

/// Where a thread waits for the token of its team's ring.
struct alignas(128) mailbox {
  std::uint64_t token = 0;
};

/// For one launch; its pointers are the device's.
struct kernel_setup {
  std::byte* cells = nullptr;
  std::size_t stride_bytes = 0;  ///< 0: all lanes use the first cell
  lane_outcome* outcomes = nullptr;
  thread_record* records = nullptr;
  const std::int32_t* ones = nullptr;  ///< a 1 in memory that no compiler can see through
  team_sizes* given = nullptr;
  cell_lock* locks = nullptr;    ///< one for each cell
  mailbox* mailboxes = nullptr;  ///< one for each thread; the first of a team begins with a 1
  unsigned* gate = nullptr;
  unsigned gate_opens_at = 0;  ///< teams that leave together; 0: no gate
  unsigned teams = 1;
  unsigned threads = 1;  ///< of a team
  std::uint32_t trips = 0;
  std::int64_t most_polls = 0;  ///< of a thread in a ring, until its token is lost
  enum oracle oracle = oracle::none;
  int device = 0;
};

// A function of the host and of the device is compiled from one text, so that the instruction must
// be nothing on the host: there the first of the alternatives of an asm is taken, an empty comment,
// while PTX, which knows no alternatives, gets a block that begins with a comment.
#define SM_OF_PTX(INSTRUCTION) "{//|\n\t" INSTRUCTION "\n\t}"
[[gnu::always_inline]] inline clock_reading read_clocks() {
  clock_reading now;
  asm volatile(SM_OF_PTX("mov.u64 %0, %%clock64;") : "+r"(now.cycles) : : "memory");
  asm volatile(SM_OF_PTX("mov.u64 %0, %%globaltimer;") : "+r"(now.ns) : : "memory");
  if (now.ns == 0) now.ns = static_cast<std::uint64_t>(omp_get_wtime() * 1e9);
  return now;
}

}  // namespace syncmeter::omp_target
