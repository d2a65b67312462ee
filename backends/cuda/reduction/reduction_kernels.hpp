// An array's maximum in every form, each queued by a function: the host's compiler compiles the
// host loops, and their census sees one call per reduction.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "core/axes.hpp"
#include "core/host/reduction_values.hpp"

namespace syncmeter::cuda {

/// Results of successive reductions: each writes its own cell and prepares the next cell. This
/// saves a launch for the reset, and allows a check of the last `result_cells` - 1 results.
inline constexpr unsigned result_cells = 4096;

/// The largest input: an index plus its increment stays below 2^32.
inline constexpr std::uint32_t most_elements = std::uint32_t{1} << 31U;

/// The input of a reduction, and the launch of its kernels.
struct reduction_call {
  value_type type = value_type::int32;
  const void* data = nullptr;  ///< aligned to 256 bytes
  void* copy = nullptr;        ///< same size as `data`, copy_bandwidth only
  std::uint32_t elements = 0;
  unsigned threads = 256;         ///< per block, in whole warps
  unsigned resident_blocks = 1;   ///< for the persistent form: all concurrent blocks
  void* results = nullptr;        ///< result_cells values, the first is ready
  std::uint64_t queued = 0;       ///< reductions since the first cell was prepared
  void* scratch = nullptr;        ///< requested by the library (cub_scratch_bytes)
  std::size_t scratch_bytes = 0;  ///< size of `scratch`
  cudaStream_t stream = nullptr;
  cudaError_t error = cudaSuccess;  ///< the library's first error
};

// Each function queues one reduction, and counts it. Launch errors remain for cudaGetLastError.
void reduce_max_global_atomic(reduction_call& call);
void reduce_max_warp_atomic(reduction_call& call);
void reduce_max_block_atomic(reduction_call& call);
void reduce_max_warp_reduce(reduction_call& call);
void reduce_max_persistent(reduction_call& call);
void reduce_max_cub(reduction_call& call);
// Read every byte once and xor its 32-bit words, or read and write every byte.
void read_bandwidth(reduction_call& call);
void copy_bandwidth(reduction_call& call);

/// Returns the concurrent blocks of the persistent form per multiprocessor.
[[nodiscard]] unsigned resident_blocks_per_multiprocessor(value_type type, unsigned threads);

/// Returns the library's need for device memory with this input.
[[nodiscard]] std::size_t cub_scratch_bytes(const reduction_call& call);

// Work around the timed part, queued in the call's stream.

/// Fills `data` from a seed.
void fill_input(const reduction_call& call, std::uint64_t seed, reduction_input kind);
/// Restores the seeded element at `old_place`, and writes a drawn maximum at `place`.
void plant_maximum(const reduction_call& call, std::uint64_t seed, reduction_input kind,
                   std::uint32_t old_place, std::uint32_t place, std::uint64_t draw);
/// Prepares every result cell: the least value, or 0 for `xors`.
void clear_results(const reduction_call& call, bool xors);
/// Compute references for an array as large as `data`. The maximum uses another method, ordered
/// integer keys, and returns a bit pattern. The xor covers all 32-bit words. Both write to `answer`
/// on the device.
void reference_maximum(const reduction_call& call, const void* from, std::uint64_t* answer);
void reference_xor(const reduction_call& call, const void* from, std::uint64_t* answer);

}  // namespace syncmeter::cuda
