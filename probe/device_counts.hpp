// What patched kernels count on the GPU: tables in its memory, which the probe makes and reads, and
// the patches (patches.cu) fill.
#pragma once

#include <cstdint>

#if defined(__CUDACC__)
#define SM_ON_GPU __device__
#else
#define SM_ON_GPU
#endif

namespace syncmeter::probe {

/// An address in the GPU's memory that one instruction of one kernel updates.
struct counted_cell {
  std::uint64_t number;  ///< of the address and the instruction; 0: free
  std::uint64_t address;
  std::uint64_t updates;
  std::uint32_t instruction;  ///< its place among counted_instructions
  std::uint32_t warps;        ///< executions by warps of which a thread updates it
};
static_assert(sizeof(counted_cell) == 32);

enum class counted_event : std::uint32_t {
  none,
  update,         ///< an atomic operation on the GPU's memory
  shared_update,  ///< on a block's, or its cluster's
  barrier,        ///< __syncthreads() and its like
  cluster_wait,   ///< for the barrier of a cluster
  object_wait,    ///< for a barrier in shared memory (mbarrier)
};

/// An instruction of a kernel, or a part of its executions. Threads are those that executed it,
/// each time.
struct counted_instruction {
  std::uint64_t number;  ///< of its address and the kernel; 0: free
  std::uint64_t address;
  std::uint32_t kernel;  ///< its place among kernel_counts
  counted_event event;
  std::uint64_t threads;  ///< of updates and waits; warps of updates
  std::uint64_t warps;
  /// Of updates the distinct addresses of each warp; of barriers threads over those that must come,
  /// in parts of 2^32.
  std::uint64_t parts;
  std::uint64_t uncounted;  ///< updates of cells that no room was found for
};
static_assert(sizeof(counted_instruction) == 56);

struct device_counts;
/// What a kernel, launched at one site, hands to its patches.
struct kernel_counts {
  device_counts* counts;
  std::uint32_t kernel;
  std::uint32_t is_cut_off;  ///< it ran on when the time to count was over
};

inline constexpr std::uint32_t most_kernels = 1024, most_instructions = 32768;
/// Of the executions of one instruction.
inline constexpr std::uint32_t most_parts = 32;
struct device_counts {
  counted_cell* cells;
  std::uint64_t cell_mask;  ///< their number less 1
  std::uint64_t until_ns;   ///< counting ends then, by the GPU's clock; 0: not begun
  std::uint64_t for_ns;     ///< how long it lasts
  std::uint64_t lost;       ///< threads at instructions that no room was found for
  kernel_counts kernels[most_kernels];
  counted_instruction instructions[most_instructions];
};

/// Numbers that are hardly ever alike; never 0.
SM_ON_GPU inline std::uint64_t number_of_pair(std::uint64_t a, std::uint64_t b) {
  std::uint64_t mixed = (a + b * 0x9E3779B97F4A7C15U) * 0xBF58476D1CE4E5B9U;
  mixed = (mixed ^ mixed >> 31U) * 0x94D049BB133111EBU;
  return (mixed ^ mixed >> 29U) | 1U;
}

SM_ON_GPU inline std::uint64_t number_of_instruction(std::uint64_t address, std::uint32_t kernel,
                                                     counted_event event, std::uint32_t part) {
  return number_of_pair(address, (std::uint64_t{kernel} << 8U | static_cast<std::uint32_t>(event)) +
                                     (std::uint64_t{part} << 32U));
}

/// Where the places for an instruction's part 0 lie, and for further parts: these have a half of
/// their own, and never take the room of another instruction. What has no room as a further part
/// is counted as part 0.
SM_ON_GPU inline std::uint32_t place_of_part(std::uint64_t number, std::uint32_t tried,
                                             std::uint32_t part) {
  constexpr std::uint32_t half = most_instructions / 2;
  return static_cast<std::uint32_t>((number + tried) % half) + (part == 0 ? 0 : half);
}
/// So many places are looked at, fewer of a further part.
SM_ON_GPU inline std::uint32_t most_tried_of_part(std::uint32_t part) { return part == 0 ? 64 : 8; }

#undef SM_ON_GPU

}  // namespace syncmeter::probe
