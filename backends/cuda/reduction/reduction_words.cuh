// What the forms of a maximum are made of, on the device: an atomic maximum of every type, and the
// maxima of a warp and of a block.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/host/reduction_values.hpp"

namespace syncmeter::cuda {

/// Floating values have no atomicMax. Read as integers, those without a sign are ordered as the
/// values are and those with one the other way round, and all with one are less than all without:
/// the maximum is that of signed integers or the minimum of unsigned ones. -0.0 has a sign, and
/// goes with the negatives; a comparison with 0 would send it the other way, and lose it.
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

/// In lane 0: the maximum of a warp. The distance is halved each time: in the listing as it was
/// published it is not.
template <class T> __device__ T warp_max_by_shuffles(T value) {
  for (unsigned offset = 16; offset > 0; offset /= 2)
    value = larger(value, __shfl_down_sync(all_of_warp, value, offset));
  return value;
}

/// In lane 0: by one instruction where the type has one.
template <class T> __device__ T warp_max(T value) {
  if constexpr (std::is_integral_v<T> && sizeof(T) == 4)
    return __reduce_max_sync(all_of_warp, value);
  else return warp_max_by_shuffles(value);
}

/// Before and after a block's threads raise its cell: the least value in it, and one atomic for
/// all of the block.
template <class T> __device__ void begin_block(T* of_block) {
  if (threadIdx.x == 0) *of_block = reduction_identity<T>();
  __syncthreads();
}
template <class T> __device__ void end_block(T* of_block, T* result) {
  __syncthreads();
  if (threadIdx.x == 0) atomic_max(result, *of_block);
}

}  // namespace syncmeter::cuda
