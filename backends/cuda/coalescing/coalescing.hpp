// The rows of the study of coalescing, and the kernels around them.
#pragma once

#include <cuda_runtime_api.h>

#include "backends/cuda/coalescing/patterns.hpp"
#include "backends/cuda/rig/gpu_rig.hpp"

namespace syncmeter::cuda {

/// Queues the filling of memory: word i is word_at(i).
void fill_words(std::byte* words, std::size_t bytes, cudaStream_t stream);
inline constexpr unsigned sweep_blocks = 512;
inline constexpr std::size_t sweep_sinks = std::size_t{sweep_blocks} * 256;
/// Queues the reading of so many bytes, past L1: what is in L2 afterwards.
void sweep(const std::byte* words, std::size_t bytes, std::uint32_t* sink, cudaStream_t stream);

/// What the lanes did.
struct finished_reads {
  pattern how = pattern::coalesced;
  working_set what;
  std::uint32_t first_index = 0;  ///< of the working set's first word
  unsigned of_block = 1;          ///< lanes
  std::uint64_t ops = 0;          ///< of each lane
  bool banks = false;             ///< of a block's own memory
};
/// Queues the comparison of each lane's sum with that of the words it had to read.
void check_sums(const finished_reads& done, const lane_outcome* outcomes, own_outcome* found,
                cudaStream_t stream);

[[nodiscard]] std::vector<measurable> coalescing_rows();
/// With their rig, and what they compile to.
[[nodiscard]] row_group coalescing_group();

}  // namespace syncmeter::cuda
