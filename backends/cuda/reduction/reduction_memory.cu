// Helpers for reductions: plain reads and copies of the array, its elements, and the expected
// maximum and xor from another method.
#include "backends/cuda/reduction/reduction_kernels.hpp"

#include <algorithm>

#include "backends/cuda/runtime/cuda_check.hpp"
#include "core/axes.hpp"

namespace syncmeter::cuda {
namespace {

constexpr unsigned check_block = 256;
constexpr unsigned check_blocks = 1024;
constexpr unsigned vectors_per_thread = 8;  // in flight at once: 128 bytes
constexpr unsigned all_of_warp = 0xffffffff;

__device__ std::uint32_t xor_of(const uint4& v) { return v.x ^ v.y ^ v.z ^ v.w; }

// The array as 16-byte vectors, and the words after the last whole vector.
struct words_of {
  std::uint32_t vectors;
  std::uint32_t rest;  // 32-bit words
};
words_of words(const reduction_call& call) {
  const std::uint64_t bytes = std::uint64_t{call.elements} * size_of(call.type);
  return {static_cast<std::uint32_t>(bytes / 16), static_cast<std::uint32_t>(bytes % 16 / 4)};
}

// Folds the xor of a block's words into the result, in one thread.
__device__ void fold_block(std::uint32_t folded, std::uint32_t* result) {
  __shared__ std::uint32_t of_warp[32];
  folded = __reduce_xor_sync(all_of_warp, folded);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = folded;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  folded = threadIdx.x < blockDim.x / 32 ? of_warp[threadIdx.x] : 0;
  folded = __reduce_xor_sync(all_of_warp, folded);
  if (threadIdx.x == 0) atomicXor(result, folded);
}

// A block has a range of vectors. Each thread loads all its vectors before it uses the first.
template <bool Copies>
__global__ void read_all(const uint4* __restrict__ data, uint4* __restrict__ copy, words_of all,
                         std::uint32_t* result, std::uint32_t* next) {
  if (blockIdx.x == 0 && threadIdx.x == 0) *next = 0;
  const std::uint32_t first = blockIdx.x * blockDim.x * vectors_per_thread + threadIdx.x;
  uint4 held[vectors_per_thread];
  const bool whole = first + (vectors_per_thread - 1) * blockDim.x < all.vectors;
#pragma unroll
  for (unsigned k = 0; k < vectors_per_thread; ++k) {
    const std::uint32_t i = first + k * blockDim.x;
    held[k] = whole || i < all.vectors ? data[i] : uint4{};
  }
  std::uint32_t folded = 0;
#pragma unroll
  for (unsigned k = 0; k < vectors_per_thread; ++k) {
    const std::uint32_t i = first + k * blockDim.x;
    if constexpr (!Copies) folded ^= xor_of(held[k]);
    else if (whole || i < all.vectors) copy[i] = held[k];
  }
  if (blockIdx.x == 0 && threadIdx.x < all.rest) {
    const auto word = reinterpret_cast<const std::uint32_t*>(data + all.vectors)[threadIdx.x];
    if constexpr (!Copies) folded ^= word;
    else reinterpret_cast<std::uint32_t*>(copy + all.vectors)[threadIdx.x] = word;
  }
  if constexpr (!Copies) fold_block(folded, result);
}

template <bool Copies> void queue_read(reduction_call& call) {
  const words_of all = words(call);
  const std::uint32_t of_block = call.threads * vectors_per_thread;
  const unsigned blocks = std::max(1U, (all.vectors + of_block - 1) / of_block);
  const auto cell = [&call](std::uint64_t number) {
    const std::size_t at = number % result_cells * size_of(call.type);
    return reinterpret_cast<std::uint32_t*>(static_cast<std::byte*>(call.results) + at);
  };
  read_all<Copies><<<blocks, call.threads, 0, call.stream>>>(
      static_cast<const uint4*>(call.data), static_cast<uint4*>(call.copy), all, cell(call.queued),
      cell(call.queued + 1));
  ++call.queued;
}

// Returns unsigned keys, ordered like the values: a floating value's bits, inverted if negative.
template <class T> __device__ std::uint64_t key_of(T value) {
  constexpr std::uint64_t sign = std::uint64_t{1} << 63U;
  if constexpr (std::is_floating_point_v<T>) {
    const auto bits = static_cast<std::uint64_t>(__double_as_longlong(static_cast<double>(value)));
    return (bits & sign) != 0 ? ~bits : bits | sign;
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value)) ^ sign;
  } else {
    return value;
  }
}
template <class T> __device__ T value_of(std::uint64_t key) {
  constexpr std::uint64_t sign = std::uint64_t{1} << 63U;
  if constexpr (std::is_floating_point_v<T>) {
    const std::uint64_t bits = (key & sign) != 0 ? key & ~sign : ~key;
    return static_cast<T>(__longlong_as_double(static_cast<long long>(bits)));
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<T>(static_cast<std::int64_t>(key ^ sign));
  } else {
    return static_cast<T>(key);
  }
}

template <class T>
__global__ void highest_key(const T* data, std::uint32_t n, unsigned long long* answer) {
  unsigned long long highest = 0;
  const std::uint32_t stride = gridDim.x * blockDim.x;
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    const unsigned long long key = key_of(data[i]);
    highest = key > highest ? key : highest;
  }
  atomicMax(answer, highest);
}

template <class T> __global__ void decode_key(std::uint64_t* answer) {
  const T value = value_of<T>(*answer);
  *answer = 0;
  *reinterpret_cast<T*>(answer) = value;
}

__global__ void xor_words(const std::uint32_t* data, std::uint64_t words, std::uint64_t* answer) {
  std::uint32_t folded = 0;
  for (std::uint64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < words;
       i += std::uint64_t{gridDim.x} * blockDim.x)
    folded ^= data[i];
  atomicXor(reinterpret_cast<std::uint32_t*>(answer), folded);
}

template <class T>
__global__ void fill(T* data, std::uint32_t n, std::uint64_t seed, reduction_input kind) {
  const std::uint32_t stride = gridDim.x * blockDim.x;
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
    data[i] = reduction_element<T>(i, seed, kind);
}

template <class T>
__global__ void plant(T* data, std::uint64_t seed, reduction_input kind, std::uint32_t old_place,
                      std::uint32_t place, std::uint64_t draw) {
  data[old_place] = reduction_element<T>(old_place, seed, kind);
  data[place] = reduction_maximum<T>(draw, kind);
}

template <class T> __global__ void clear(T* results, T value) {
  results[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

template <class T> T* array(const reduction_call& call) {
  return static_cast<T*>(const_cast<void*>(call.data));
}

}  // namespace

void read_bandwidth(reduction_call& call) { queue_read<false>(call); }
void copy_bandwidth(reduction_call& call) { queue_read<true>(call); }

void fill_input(const reduction_call& call, std::uint64_t seed, reduction_input kind) {
  by_type(call.type, [&]<class T>(T) {
    fill<T>
        <<<check_blocks, check_block, 0, call.stream>>>(array<T>(call), call.elements, seed, kind);
  });
  SM_CUDA(cudaGetLastError());
}

void plant_maximum(const reduction_call& call, std::uint64_t seed, reduction_input kind,
                   std::uint32_t old_place, std::uint32_t place, std::uint64_t draw) {
  by_type(call.type, [&]<class T>(T) {
    plant<T><<<1, 1, 0, call.stream>>>(array<T>(call), seed, kind, old_place, place, draw);
  });
  SM_CUDA(cudaGetLastError());
}

void clear_results(const reduction_call& call, bool xors) {
  static_assert(result_cells % check_block == 0);
  by_type(call.type, [&]<class T>(T) {
    clear<T><<<result_cells / check_block, check_block, 0, call.stream>>>(
        static_cast<T*>(call.results), xors ? T{} : reduction_identity<T>());
  });
  SM_CUDA(cudaGetLastError());
}

void reference_maximum(const reduction_call& call, const void* from, std::uint64_t* answer) {
  SM_CUDA(cudaMemsetAsync(answer, 0, sizeof *answer, call.stream));
  by_type(call.type, [&]<class T>(T) {
    highest_key<T><<<check_blocks, check_block, 0, call.stream>>>(
        static_cast<const T*>(from), call.elements, reinterpret_cast<unsigned long long*>(answer));
    decode_key<T><<<1, 1, 0, call.stream>>>(answer);
  });
  SM_CUDA(cudaGetLastError());
}

void reference_xor(const reduction_call& call, const void* from, std::uint64_t* answer) {
  SM_CUDA(cudaMemsetAsync(answer, 0, sizeof *answer, call.stream));
  const std::uint64_t all = std::uint64_t{call.elements} * size_of(call.type) / 4;
  xor_words<<<check_blocks, check_block, 0, call.stream>>>(static_cast<const std::uint32_t*>(from),
                                                           all, answer);
  SM_CUDA(cudaGetLastError());
}

}  // namespace syncmeter::cuda
