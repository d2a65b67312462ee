// The maximum of an array in every form, each behind a function that queues it: the host's loops
// are compiled by the host's compiler, and their census sees one call per reduction.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "core/axes.hpp"
#include "core/host/reduction_values.hpp"

namespace syncmeter::cuda {

/// Results of reductions that follow one another: each writes its own cell and makes the next one
/// ready, so that no launch of its own is needed to reset it, and the last `result_cells` - 1
/// results can be checked.
inline constexpr unsigned result_cells = 4096;

/// The largest input: an index and what is added to it stay below 2^32.
inline constexpr std::uint32_t most_elements = std::uint32_t{1} << 31U;

/// What is reduced, and how its kernels are launched.
struct reduction_call {
  value_type type = value_type::int32;
  const void* data = nullptr;  ///< aligned to 256 bytes
  void* copy = nullptr;        ///< as large as `data`; copy_bandwidth only
  std::uint32_t elements = 0;
  unsigned threads = 256;         ///< of a block, whole warps
  unsigned resident_blocks = 1;   ///< of the persistent form: as many as run at once
  void* results = nullptr;        ///< result_cells values; the first one is ready
  std::uint64_t queued = 0;       ///< reductions since the first cell was made ready
  void* scratch = nullptr;        ///< what the library asked for (cub_scratch_bytes)
  std::size_t scratch_bytes = 0;  ///< of `scratch`
  cudaStream_t stream = nullptr;
  cudaError_t error = cudaSuccess;  ///< the first that the library returned
};

// Each queues one reduction, and counts it. What a launch says is left for cudaGetLastError.
void reduce_max_global_atomic(reduction_call& call);
void reduce_max_warp_atomic(reduction_call& call);
void reduce_max_block_atomic(reduction_call& call);
void reduce_max_warp_reduce(reduction_call& call);
void reduce_max_persistent(reduction_call& call);
void reduce_max_cub(reduction_call& call);
// Every byte read once, its 32-bit words xored; every byte read and written.
void read_bandwidth(reduction_call& call);
void copy_bandwidth(reduction_call& call);

/// How many blocks of the persistent form run at once on one multiprocessor.
[[nodiscard]] unsigned resident_blocks_per_multiprocessor(value_type type, unsigned threads);

/// Device memory that the library wants for this input.
[[nodiscard]] std::size_t cub_scratch_bytes(const reduction_call& call);

// What surrounds the timed part, queued in the call's stream.

/// Fills `data` from a seed.
void fill_input(const reduction_call& call, std::uint64_t seed, reduction_input kind);
/// Gives the element at `old_place` its seeded value, and that at `place` the maximum of a draw.
void plant_maximum(const reduction_call& call, std::uint64_t seed, reduction_input kind,
                   std::uint32_t old_place, std::uint32_t place, std::uint64_t draw);
/// Makes every result cell ready: the least value, or 0 where `xors`.
void clear_results(const reduction_call& call, bool xors);
/// Of an array as large as `data`: the maximum by another way, comparing integers that are ordered
/// as the values are, as its bit pattern; and the xor of all 32-bit words. Both go to the device's
/// `answer`.
void reference_maximum(const reduction_call& call, const void* from, std::uint64_t* answer);
void reference_xor(const reduction_call& call, const void* from, std::uint64_t* answer);

}  // namespace syncmeter::cuda
