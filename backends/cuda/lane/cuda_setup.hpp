// A kernel's arguments and results: plain data, the same on both sides of the launch.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/harness/oracle.hpp"
#include "core/op.hpp"

namespace syncmeter::cuda {

inline constexpr unsigned warp_size = 32;
inline constexpr unsigned largest_block = 1024;
/// Limits a kernel's registers to let this number of full blocks fit on one multiprocessor (2 x
/// 1024 threads: 32 registers each).
// sm_86, sm_89 and sm_120 hold 1536 threads per multiprocessor: one full block.
#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ == 860 || __CUDA_ARCH__ == 870 ||                     \
                               __CUDA_ARCH__ == 890 || __CUDA_ARCH__ >= 1200)
inline constexpr unsigned blocks_per_multiprocessor = 1;
#else
inline constexpr unsigned blocks_per_multiprocessor = 2;
#endif
inline constexpr std::size_t mailbox_bytes = 128;

/// A block's own memory: the barrier object comes first, then cells or the ring for memory latency.
inline constexpr unsigned cells_offset = 128;

/// Returns the blocks for a kernel whose threads continue until all items are done.
[[nodiscard]] constexpr unsigned sweeping_blocks(std::size_t items, unsigned threads) {
  constexpr std::size_t most = 4096;
  const std::size_t blocks = (items + threads - 1) / threads;
  return static_cast<unsigned>(blocks < most ? blocks : most);
}

/// Returns the warps of a block, including an incomplete last warp.
[[nodiscard]] constexpr unsigned warps_in(unsigned threads) {
  return (threads + warp_size - 1) / warp_size;
}

/// A lane's result after its loop.
struct cuda_outcome {
  lane_outcome outcome;
  std::uint64_t sunk = 0;  ///< results that must be used
};

/// The clock seen by one block. Cycles come from its own multiprocessor.
struct block_record {
  std::int64_t first_cycle = 0, last_cycle = 0;  ///< earliest start, latest stop of its warps
  std::int64_t lane_cycles = 0;                  ///< around the loop, by thread 0
  std::int64_t lane_ns = 0;                      ///< the same by the device's own timer
  double rate_sum = 0, rate_square_sum = 0;      ///< of 1 / cycles, over warps
  double shortest = 0, longest = 0;              ///< cycles of a warp
  std::uint64_t warps = 0;                       ///< wide, to avoid padding in the copy
};

/// All lanes of one cell folded together, for the host's oracle (core/harness/oracle.hpp).
struct group_outcome {
  std::uint64_t tally_sum = 0, tally_or = 0;
  std::uint64_t highest = 0, lowest = 0;  ///< operands, as bit patterns
  std::uint64_t held = 0;                 ///< by the cell
  unsigned someones = 0;                  ///< lanes whose operand equals `held`
  unsigned lanes = 0;
};

/// The check of lanes with their own cells: the number of wrong cells, and an example. All zero if
/// correct.
struct own_outcome {
  unsigned long long wrong;
  std::uint64_t at;    ///< example cell and lane
  std::uint64_t held;  ///< by the cell, as a bit pattern
  lane_outcome lane;
};

/// A kernel's parameter, made by the rig for one point.
struct kernel_setup {
  std::byte* cells = nullptr;
  std::byte* second_cells = nullptr;
  std::byte* mailboxes = nullptr;      ///< one for each warp, mailbox_bytes apart
  std::byte* ring = nullptr;           ///< for memory latency
  const std::int32_t* ones = nullptr;  ///< {1, 0} in memory, opaque to compilers
  std::int32_t* lock = nullptr;
  lane_outcome* outcomes = nullptr;  ///< one for each thread
  std::uint64_t* sinks = nullptr;    ///< one for each thread: results to use
  block_record* records = nullptr;   ///< one for each block
  unsigned* gate = nullptr;
  unsigned gate_opens_at = 0;  ///< blocks that must arrive, 0: no gate
  unsigned stride_bytes = 0;
  unsigned active = warp_size;  ///< participating lanes of each warp
  enum oracle oracle = oracle::none;
  unsigned size = 0;           ///< point::size
  std::byte* board = nullptr;  ///< the grid's own memory, all zero before each launch
  // More members here would move the later parameters, and thereby change every kernel's code.
  std::byte* data = nullptr;   ///< data and places for loads, made once per point, or op objects
  std::size_t data_bytes = 0;  ///< in total, or per object
};

}  // namespace syncmeter::cuda
