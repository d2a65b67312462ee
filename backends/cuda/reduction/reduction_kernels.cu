// The five forms from Listing 1 in "Characterizing CUDA and OpenMP Synchronization Primitives"
// (IISWC 2024), and the ops for comparison. Unlike the listing, the shuffle loop halves its
// distance. First their parts: an atomic maximum for every type, warp maxima and block maxima.
#include "backends/cuda/reduction/reduction_kernels.hpp"

#include <algorithm>
#include <cub/device/device_reduce.cuh>
#include <type_traits>

#include "backends/cuda/runtime/cuda_check.hpp"
#include "core/axes.hpp"

namespace syncmeter::cuda {

/// Floating values have no atomicMax. Read as integers, values without a sign bit keep their order.
/// Negative values reverse it, below all others. The maximum is therefore a signed maximum or an
/// unsigned minimum. -0.0 has a sign and belongs to the negatives. A comparison with 0 would count
/// it as positive, and lose the value.
__device__ inline void atomic_max(float* cell, float value) {
  if (signbit(value)) atomicMin(reinterpret_cast<unsigned*>(cell), __float_as_uint(value));
  else atomicMax(reinterpret_cast<int*>(cell), __float_as_int(value));
}
__device__ inline void atomic_max(double* cell, double value) {
  const long long bits = __double_as_longlong(value);
  if (bits < 0)
    atomicMin(reinterpret_cast<unsigned long long*>(cell), static_cast<unsigned long long>(bits));
  else atomicMax(reinterpret_cast<long long*>(cell), bits);
}
__device__ inline void atomic_max(std::int32_t* cell, std::int32_t value) {
  atomicMax(cell, value);
}
__device__ inline void atomic_max(std::uint32_t* cell, std::uint32_t value) {
  atomicMax(cell, value);
}
__device__ inline void atomic_max(std::uint64_t* cell, std::uint64_t value) {
  atomicMax(reinterpret_cast<unsigned long long*>(cell), static_cast<unsigned long long>(value));
}

template <class T> __device__ T larger(T a, T b) {
  if constexpr (std::is_same_v<T, float>) return fmaxf(a, b);
  else return a < b ? b : a;
}

inline constexpr unsigned all_of_warp = 0xffffffff;

__device__ inline bool is_first_of_warp() { return threadIdx.x % 32 == 0; }

/// Returns a warp's maximum in lane 0. The distance halves each time, unlike the published listing.
template <class T> __device__ T warp_max_by_shuffles(T value) {
  for (unsigned offset = 16; offset > 0; offset /= 2)
    value = larger(value, __shfl_down_sync(all_of_warp, value, offset));
  return value;
}

/// Returns the maximum in lane 0, by a single instruction if the type has it.
template <class T> __device__ T warp_max(T value) {
  if constexpr (std::is_integral_v<T> && sizeof(T) == 4)
    return __reduce_max_sync(all_of_warp, value);
  else return warp_max_by_shuffles(value);
}

/// Prepare and finish a block's cell: set it to the least value, then issue one atomic for the
/// whole block.
template <class T> __device__ void begin_block(T* of_block) {
  if (threadIdx.x == 0) *of_block = reduction_identity<T>();
  __syncthreads();
}
template <class T> __device__ void end_block(T* of_block, T* result) {
  __syncthreads();
  if (threadIdx.x == 0) atomic_max(result, *of_block);
}

namespace {

// Every thread of a block participates, with the least value beyond the input's end.
template <class T> __device__ T element_or_least(const T* data, std::uint32_t n) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  return i < n ? data[i] : reduction_identity<T>();
}

// Resets the cell for the next reduction, which starts after this reduction ends.
template <class T> __device__ void make_ready(T* next) {
  if (blockIdx.x == 0 && threadIdx.x == 0) *next = reduction_identity<T>();
}

template <class T>
__global__ void global_atomic(const T* __restrict__ data, std::uint32_t n, T* result, T* next) {
  make_ready(next);
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomic_max(result, data[i]);
}

template <class T>
__global__ void warp_atomic(const T* __restrict__ data, std::uint32_t n, T* result, T* next) {
  make_ready(next);
  const T most = warp_max_by_shuffles(element_or_least(data, n));
  if (is_first_of_warp()) atomic_max(result, most);
}

template <class T>
__global__ void block_atomic(const T* __restrict__ data, std::uint32_t n, T* result, T* next) {
  __shared__ T of_block;
  make_ready(next);
  begin_block(&of_block);
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomic_max(&of_block, data[i]);
  end_block(&of_block, result);
}

template <class T>
__global__ void warp_reduce(const T* __restrict__ data, std::uint32_t n, T* result, T* next) {
  __shared__ T of_block;
  make_ready(next);
  begin_block(&of_block);
  const T most = warp_max(element_or_least(data, n));
  if (is_first_of_warp()) atomic_max(&of_block, most);
  end_block(&of_block, result);
}

template <class T>
__global__ void persistent(const T* __restrict__ data, std::uint32_t n, T* result, T* next) {
  __shared__ T of_block;
  make_ready(next);
  begin_block(&of_block);
  T most = reduction_identity<T>();
  const std::uint32_t stride = gridDim.x * blockDim.x;
  std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  // A thread that waited for each load in turn would leave most bandwidth unused.
  constexpr unsigned in_flight = 8;
  for (; i + (in_flight - 1) * stride < n; i += in_flight * stride) {
    T held[in_flight];
#pragma unroll
    for (unsigned k = 0; k < in_flight; ++k) held[k] = data[i + k * stride];
#pragma unroll
    for (unsigned k = 0; k < in_flight; ++k) most = larger(most, held[k]);
  }
  for (; i < n; i += stride) most = larger(most, data[i]);
  most = warp_max(most);
  if (is_first_of_warp()) atomic_max(&of_block, most);
  end_block(&of_block, result);
}

template <class T> using form_kernel = void (*)(const T*, std::uint32_t, T*, T*);

template <class T> T* result_cell(const reduction_call& call, std::uint64_t number) {
  return static_cast<T*>(call.results) + number % result_cells;
}

unsigned blocks_for(std::uint32_t work, unsigned threads) {
  return std::max(1U, work / threads + (work % threads != 0 ? 1 : 0));
}

template <class T> void queue(reduction_call& call, form_kernel<T> kernel, unsigned blocks) {
  kernel<<<blocks, call.threads, 0, call.stream>>>(static_cast<const T*>(call.data), call.elements,
                                                   result_cell<T>(call, call.queued),
                                                   result_cell<T>(call, call.queued + 1));
  ++call.queued;
}

}  // namespace

// One thread for each element.
#define SM_REDUCTION_FORM(NAME)                                                                    \
  void reduce_max_##NAME(reduction_call& call) {                                                   \
    by_type(call.type, [&]<class T>(T) {                                                           \
      queue<T>(call, &NAME<T>, blocks_for(call.elements, call.threads));                           \
    });                                                                                            \
  }
SM_REDUCTION_FORM(global_atomic)
SM_REDUCTION_FORM(warp_atomic)
SM_REDUCTION_FORM(block_atomic)
SM_REDUCTION_FORM(warp_reduce)
#undef SM_REDUCTION_FORM

void reduce_max_persistent(reduction_call& call) {
  by_type(call.type, [&]<class T>(T) {
    queue<T>(call, &persistent<T>,
             std::min(call.resident_blocks, blocks_for(call.elements, call.threads)));
  });
}

unsigned resident_blocks_per_multiprocessor(value_type type, unsigned threads) {
  return by_type(type, [&]<class T>(T) {
    int blocks = 0;
    SM_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &persistent<T>,
                                                          static_cast<int>(threads), 0));
    return static_cast<unsigned>(blocks);
  });
}

void reduce_max_cub(reduction_call& call) {
  by_type(call.type, [&]<class T>(T) {
    const cudaError_t code =
        cub::DeviceReduce::Max(call.scratch, call.scratch_bytes, static_cast<const T*>(call.data),
                               result_cell<T>(call, call.queued), call.elements, call.stream);
    if (call.error == cudaSuccess) call.error = code;
  });
  ++call.queued;
}

std::size_t cub_scratch_bytes(const reduction_call& call) {
  return by_type(call.type, [&]<class T>(T) {
    std::size_t bytes = 0;
    SM_CUDA(cub::DeviceReduce::Max(nullptr, bytes, static_cast<const T*>(call.data),
                                   static_cast<T*>(call.results), call.elements, call.stream));
    return bytes;
  });
}

}  // namespace syncmeter::cuda
