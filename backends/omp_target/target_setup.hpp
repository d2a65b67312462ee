// Input and results of a kernel, on the device and on the host, and the clocks of a thread.
#pragma once

#include <omp.h>

#include <cstddef>
#include <cstdint>

#include "core/harness/oracle.hpp"

namespace syncmeter::omp_target {

/// g++ runs an OpenMP thread as a warp. One lane executes code outside a `simd` loop. In a `simd`
/// loop each lane does an iteration.
inline constexpr unsigned simd_lanes = 32;

/// Cycles of the multiprocessor and ns of the device. The host has 0 cycles and its own time.
struct clock_reading {
  std::uint64_t cycles = 0, ns = 0;
};

/// Begin and end of a thread's loop.
struct thread_record {
  clock_reading first, last;
};

/// Sizes that OpenMP provided for a launch.
struct team_sizes {
  unsigned teams = 0, threads = 0;
};

/// A lock of a cell, on separate lines.
struct alignas(128) cell_lock {
  omp_lock_t lock;
};

/// A thread's place to wait for the token of its team's ring.
struct alignas(128) mailbox {
  std::uint64_t token = 0;
};

/// Setup for one launch, with device pointers.
struct kernel_setup {
  std::byte* cells = nullptr;
  std::size_t stride_bytes = 0;  ///< 0 = all lanes use the first cell
  lane_outcome* outcomes = nullptr;
  thread_record* records = nullptr;
  const std::int32_t* ones = nullptr;  ///< a 1 in memory, unknown to any compiler
  team_sizes* given = nullptr;
  cell_lock* locks = nullptr;    ///< one for each cell
  mailbox* mailboxes = nullptr;  ///< one per thread, the first in a team starts with 1
  unsigned* gate = nullptr;
  unsigned gate_opens_at = 0;  ///< teams that leave together, 0 = no gate
  unsigned teams = 1;
  unsigned threads = 1;  ///< per team
  std::uint32_t trips = 0;
  std::int64_t most_polls = 0;  ///< limit in a ring before a token counts as lost
  enum oracle oracle = oracle::none;
  int device = 0;
};

// Host and device compile the same text, but the host must execute no instruction. The host takes
// the first asm alternative, an empty comment. PTX knows no alternatives and gets a block with a
// comment at its begin.
#define SM_OF_PTX(INSTRUCTION) "{//|\n\t" INSTRUCTION "\n\t}"
[[gnu::always_inline]] inline clock_reading read_clocks() {
  clock_reading now;
  asm volatile(SM_OF_PTX("mov.u64 %0, %%clock64;") : "+r"(now.cycles) : : "memory");
  asm volatile(SM_OF_PTX("mov.u64 %0, %%globaltimer;") : "+r"(now.ns) : : "memory");
  if (now.ns == 0) now.ns = static_cast<std::uint64_t>(omp_get_wtime() * 1e9);
  return now;
}

}  // namespace syncmeter::omp_target
