// The rows of the study of coalescing, and their kernels.
#pragma once

#include <cuda_runtime_api.h>

#include "backends/cuda/coalescing/patterns.hpp"
#include "backends/cuda/rig/gpu_rig.hpp"

namespace syncmeter::cuda {

/// Queues the filling of memory: word i is word_at(i).
void fill_words(std::byte* words, std::size_t bytes, cudaStream_t stream);
inline constexpr unsigned sweep_blocks = 512;
inline constexpr std::size_t sweep_sinks = std::size_t{sweep_blocks} * 256;
/// Queues a read past L1, `bytes` bytes long, to load them into L2.
void sweep(const std::byte* words, std::size_t bytes, std::uint32_t* sink, cudaStream_t stream);

/// The lanes' finished reads.
struct finished_reads {
  pattern how = pattern::coalesced;
  working_set what;
  std::uint32_t first_index = 0;  ///< the first word's number
  unsigned of_block = 1;          ///< lanes per block
  std::uint64_t ops = 0;          ///< per lane
  bool banks = false;             ///< in a block's own memory
};
/// Queues a check: compares each lane's sum with the expected sum.
void check_sums(const finished_reads& done, const lane_outcome* outcomes, own_outcome* found,
                cudaStream_t stream);

[[nodiscard]] std::vector<measurable> coalescing_rows();
/// Returns the rows with their rig and declared code.
[[nodiscard]] row_group coalescing_group();

}  // namespace syncmeter::cuda
