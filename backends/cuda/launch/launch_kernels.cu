// One thread represents the grid: the other threads' work ends with the kernel.
#include "backends/cuda/launch/launch_queue.hpp"

namespace syncmeter::cuda {
namespace {

// About 5 us of dependent multiply-adds: longer than a launch call, to keep the device from waiting
// for the host.
constexpr unsigned multiplies_in_unit = 2048;

__device__ bool speaks() { return blockIdx.x == 0 && threadIdx.x == 0; }

__device__ void count(launch_board* board, unsigned by) {
  volatile unsigned long long& counted = board->count;
  counted = counted + by;
}

__global__ void do_nothing(launch_board* board) {
  if (board != nullptr && speaks()) count(board, 1);
}

__global__ void do_nothing_early(launch_board* board) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
  asm volatile("griddepcontrol.wait;" ::: "memory");
  if (board != nullptr && speaks()) count(board, 1);
#endif
}

__global__ void follow(launch_board* board, unsigned long long number) {
  if (!speaks()) return;
  if (board->count != number) ++board->wrong;
  board->count = number + 1;
}

__device__ void work_for(launch_board* board, unsigned units, float factor) {
  float x = static_cast<float>(threadIdx.x);
#pragma unroll 1
  for (unsigned i = 0; i < units * (multiplies_in_unit / 32); ++i) {
#pragma unroll
    for (unsigned j = 0; j < 32; ++j) x = __fmaf_rn(x, factor, factor);
  }
  // Never true, but unknown to compilers: the factor is a parameter.
  if (x == -1.0F) ++board->wrong;
  if (speaks()) count(board, units);
}

__global__ void work(launch_board* board, unsigned units, float factor) {
  work_for(board, units, factor);
}

__global__ void work_early(launch_board* board, unsigned units, float factor) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
  asm volatile("griddepcontrol.wait;" ::: "memory");
  work_for(board, units, factor);
#endif
}

}  // namespace

const void* null_kernel() { return reinterpret_cast<const void*>(&do_nothing); }
const void* dependent_kernel() { return reinterpret_cast<const void*>(&do_nothing_early); }
const void* ordered_kernel() { return reinterpret_cast<const void*>(&follow); }
const void* work_kernel() { return reinterpret_cast<const void*>(&work); }
const void* dependent_work_kernel() { return reinterpret_cast<const void*>(&work_early); }

}  // namespace syncmeter::cuda
