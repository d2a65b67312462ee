// One warp of a block hands value after value to another one, by a cell and a flag.
// Slow: a fence between cell and flag that the host and other GPUs see too. Fixed (-DFIXED): a
// fence of the block, in which both warps are.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#ifndef TIMES
#define TIMES 1
#endif
constexpr unsigned values = TIMES * 100'000, blocks = 132, lanes = 32;

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(1);
}

__device__ void fence() {
#ifdef FIXED
  __threadfence_block();
#else
  __threadfence_system();
#endif
}

__global__ void hand_over(unsigned* sum) {
  __shared__ volatile unsigned cell[lanes], is_full[lanes];
  const unsigned lane = threadIdx.x % lanes;
  is_full[lane] = 0;
  __syncthreads();
  unsigned mine = 0;
  for (unsigned v = 0; v < values; ++v) {
    const bool takes = threadIdx.x >= lanes;
    while (is_full[lane] != (takes ? 1 : 0)) {
    }
    fence();
    if (takes) mine += cell[lane];
    else cell[lane] = v;
    fence();
    is_full[lane] = takes ? 0 : 1;
  }
  if (threadIdx.x >= lanes) sum[blockIdx.x * lanes + lane] = mine;
}

int main() {
  unsigned* sum;
  std::vector<unsigned> host(blocks * lanes);
  check(cudaMalloc(&sum, host.size() * sizeof(unsigned)));
  hand_over<<<blocks, 2 * lanes>>>(sum);
  check(cudaGetLastError());
  check(cudaMemcpy(host.data(), sum, host.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
  std::printf("%u %u\n", host.front(), host.back());
}
