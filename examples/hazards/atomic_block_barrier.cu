// The threads of a block meet after each step.
// Slow: at a counter that each of them raises, and waits until all have. Fixed (-DFIXED): at
// __syncthreads().
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#ifndef TIMES
#define TIMES 1
#endif
constexpr unsigned steps = TIMES * 200'000, blocks = 132, threads = 256;

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(1);
}

/// All come for the `times`-th time.
__device__ void meet(unsigned* arrived, unsigned times) {
#ifdef FIXED
  __syncthreads();
#else
  __threadfence();
  atomicAdd(arrived, 1U);
  while (*static_cast<volatile unsigned*>(arrived) < times * threads) {
  }
  __threadfence();
#endif
}

__global__ void relax(unsigned* cell, unsigned* arrived) {
  __shared__ volatile unsigned row[2][threads];
  const unsigned own = threadIdx.x, right = (own + 1) % threads;
  row[0][own] = own;
  meet(arrived + blockIdx.x, 1);
  for (unsigned s = 0; s < steps; ++s) {
    row[(s + 1) % 2][own] = 5 * row[s % 2][own] + row[s % 2][right] + 1;
    meet(arrived + blockIdx.x, s + 2);
  }
  cell[blockIdx.x * threads + own] = row[steps % 2][own];
}

int main() {
  unsigned *cell, *arrived;
  std::vector<unsigned> host(blocks * threads);
  check(cudaMalloc(&cell, host.size() * sizeof(unsigned)));
  check(cudaMalloc(&arrived, blocks * sizeof(unsigned)));
  check(cudaMemset(arrived, 0, blocks * sizeof(unsigned)));
  relax<<<blocks, threads>>>(cell, arrived);
  check(cudaGetLastError());
  check(cudaMemcpy(host.data(), cell, host.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
  std::printf("%u %u\n", host.front(), host.back());
}
