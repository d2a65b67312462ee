// The rows of the study of coalescing, and the kernels around them: what fills memory, what puts it
// into L2, and what checks the lanes' sums.
#include "backends/cuda/coalescing/coalescing.hpp"

#include "backends/cuda/lane/memory_lane.cuh"
#include "backends/cuda/rig/cuda_backend.cuh"

namespace syncmeter::cuda {
namespace {

constexpr unsigned side_block = 256;

unsigned blocks_for(std::size_t items) {
  return static_cast<unsigned>(std::min<std::size_t>((items + side_block - 1) / side_block, 4096));
}

__global__ void fill(std::uint32_t* words, std::size_t count) {
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count;
       i += std::size_t{gridDim.x} * blockDim.x) {
    words[i] = word_at(static_cast<std::uint32_t>(i));
  }
}

__global__ void read_all(const uint4* quads, std::size_t count, std::uint32_t* sink) {
  std::uint32_t sum = 0;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count;
       i += std::size_t{gridDim.x} * blockDim.x) {
    const uint4 quad = __ldcg(quads + i);
    sum += quad.x ^ quad.y ^ quad.z ^ quad.w;
  }
  sink[std::size_t{blockIdx.x} * blockDim.x + threadIdx.x] = sum;
}

SM_FN std::uint32_t sum_of_memory(const finished_reads& done, unsigned lane) {
  lane_offsets c = offsets_of(done.how, lane, done.what);
  const auto mask = static_cast<std::uint32_t>(done.what.bytes - 1);
  std::uint32_t sum = 0;
  for (std::uint64_t n = 0; n < done.ops; ++n) {
    std::uint32_t word = word_at(done.first_index + c.first / word_bytes);
    if (done.how == pattern::random) word = word_at(done.first_index + (word & mask) / word_bytes);
    sum += word;
    c.first = (c.first + c.step) & mask;
  }
  return sum;
}

SM_FN std::uint32_t sum_of_banks(const finished_reads& done, unsigned lane) {
  const std::uint32_t first = bank_offset_of(lane % done.of_block, done.what.size) / word_bytes;
  std::uint32_t sum = 0;
  for (std::uint64_t n = 0; n < done.ops; ++n)
    sum += word_at((first + static_cast<std::uint32_t>(n)) % (bank_bytes / word_bytes));
  return sum;
}

__global__ void check(finished_reads done, const lane_outcome* outcomes, own_outcome* found) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < done.what.lanes;
       i += gridDim.x * blockDim.x) {
    const std::uint32_t sum = done.banks ? sum_of_banks(done, i) : sum_of_memory(done, i);
    if (outcomes[i].operand == sum) continue;
    if (atomicAdd(&found->wrong, 1ULL) != 0) continue;
    found->at = i;
    found->held = sum;
    found->lane = outcomes[i];
  }
}

}  // namespace

void fill_words(std::byte* words, std::size_t bytes, cudaStream_t stream) {
  const std::size_t count = bytes / word_bytes;
  fill<<<blocks_for(count), side_block, 0, stream>>>(reinterpret_cast<std::uint32_t*>(words),
                                                     count);
  SM_CUDA(cudaGetLastError());
}

void sweep(const std::byte* words, std::size_t bytes, std::uint32_t* sink, cudaStream_t stream) {
  const std::size_t count = bytes / sizeof(uint4);
  read_all<<<sweep_blocks, side_block, 0, stream>>>(reinterpret_cast<const uint4*>(words), count,
                                                    sink);
  SM_CUDA(cudaGetLastError());
}

void check_sums(const finished_reads& done, const lane_outcome* outcomes, own_outcome* found,
                cudaStream_t stream) {
  check<<<blocks_for(done.what.lanes), side_block, 0, stream>>>(done, outcomes, found);
  SM_CUDA(cudaGetLastError());
}

std::vector<measurable> coalescing_rows() {
  static constexpr auto loads = bind_untyped<backend_of<memory_lane>>(load_ops{});
  static constexpr auto banks = bind_untyped<backend_of<bank_lane>>(bank_ops{});
  std::vector<measurable> rows{loads.begin(), loads.end()};
  rows.insert(rows.end(), banks.begin(), banks.end());
  return rows;
}

}  // namespace syncmeter::cuda
