// What a kernel gets and gives back: plain data, the same on both sides of the launch.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/harness/oracle.hpp"
#include "core/op.hpp"

namespace syncmeter::cuda {

inline constexpr unsigned warp_size = 32;
inline constexpr unsigned largest_block = 1024;
/// Kernels keep to the registers with which this many blocks of the largest size fit on one
/// multiprocessor (2 x 1024 threads: 32 registers each).
// Those of sm_86, sm_89 and sm_120 hold 1536 threads: one such block.
#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ == 860 || __CUDA_ARCH__ == 870 ||                     \
                               __CUDA_ARCH__ == 890 || __CUDA_ARCH__ >= 1200)
inline constexpr unsigned blocks_per_multiprocessor = 1;
#else
inline constexpr unsigned blocks_per_multiprocessor = 2;
#endif
inline constexpr std::size_t mailbox_bytes = 128;

/// A block's own memory: the barrier object comes first, then cells or what memory latency walks.
inline constexpr unsigned cells_offset = 128;

/// Blocks of a kernel whose threads go on to further items until all are done.
[[nodiscard]] constexpr unsigned sweeping_blocks(std::size_t items, unsigned threads) {
  constexpr std::size_t most = 4096;
  const std::size_t blocks = (items + threads - 1) / threads;
  return static_cast<unsigned>(blocks < most ? blocks : most);
}

/// Warps of a block, a last one that is not full included.
[[nodiscard]] constexpr unsigned warps_in(unsigned threads) {
  return (threads + warp_size - 1) / warp_size;
}

/// What a lane brings back from its loop.
struct cuda_outcome {
  lane_outcome outcome;
  std::uint64_t sunk = 0;  ///< results that had to be used
};

/// The clock as one block saw it. Cycles are of this block's multiprocessor only.
struct block_record {
  std::int64_t first_cycle = 0, last_cycle = 0;  ///< earliest start, latest stop of its warps
  std::int64_t lane_cycles = 0;                  ///< from before the loop till after, by thread 0
  std::int64_t lane_ns = 0;                      ///< the same by the device's own timer
  double rate_sum = 0, rate_square_sum = 0;      ///< over warps, of 1 / cycles
  double shortest = 0, longest = 0;              ///< cycles of its warps
  std::uint64_t warps = 0;                       ///< wide, so that there is no padding to copy
};

/// Lanes of one cell folded together, for the host's oracle (core/harness/oracle.hpp).
struct group_outcome {
  std::uint64_t tally_sum = 0, tally_or = 0;
  std::uint64_t highest = 0, lowest = 0;  ///< operands, as bit patterns
  std::uint64_t held = 0;                 ///< by the cell
  unsigned someones = 0;                  ///< how many lanes' operand is what the cell holds
  unsigned lanes = 0;
};

/// Lanes with a cell each: how many cells are wrong, and one of these. All zero when none is.
struct own_outcome {
  unsigned long long wrong;
  std::uint64_t at;    ///< which cell and lane
  std::uint64_t held;  ///< by the cell, as a bit pattern
  lane_outcome lane;
};

/// A kernel's parameter, made by the rig for one point.
struct kernel_setup {
  std::byte* cells = nullptr;
  std::byte* second_cells = nullptr;
  std::byte* mailboxes = nullptr;      ///< one for each warp, mailbox_bytes apart
  std::byte* ring = nullptr;           ///< what memory latency walks
  const std::int32_t* ones = nullptr;  ///< {1, 0} in memory, that no compiler can see through
  std::int32_t* lock = nullptr;
  lane_outcome* outcomes = nullptr;  ///< one for each thread
  std::uint64_t* sinks = nullptr;    ///< one for each thread: results that must be used
  block_record* records = nullptr;   ///< one for each block
  unsigned* gate = nullptr;
  unsigned gate_opens_at = 0;  ///< blocks that must have arrived; 0: no gate
  unsigned stride_bytes = 0;
  unsigned active = warp_size;  ///< lanes of each warp that take part
  enum oracle oracle = oracle::none;
  unsigned size = 0;           ///< point::size
  std::byte* board = nullptr;  ///< the grid's own memory, all zero before each launch
  // Members more would move the parameters behind these, and with them the code of every kernel.
  std::byte* data = nullptr;  ///< what the lanes read, and where, made once for a point; or an op's
                              ///< own objects
  std::size_t data_bytes = 0;  ///< in all; of objects from one to the next
};

}  // namespace syncmeter::cuda
