// Warps relax a row of 32 cells each, and one warp of eight has a hundred times as many steps.
// Slow: the block goes on step by step together, with barriers of all its threads, as if rows were
// of others too. Fixed (-DFIXED): a warp waits for its own threads, and goes when it is done.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#ifndef TIMES
#define TIMES 1
#endif
constexpr int launches = TIMES * 100, most_steps = 2000, blocks = 132 * 64, threads = 256;

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(1);
}

__global__ void relax(unsigned* cell) {
  __shared__ unsigned row[threads];
  const unsigned own = threadIdx.x, right = own / 32 * 32 + (own + 1) % 32;
  const int steps = own / 32 == 0 ? most_steps : most_steps / 100;
  row[own] = cell[blockIdx.x * threads + own];
#ifdef FIXED
  __syncwarp();
  for (int s = 0; s < steps; ++s) {
    const unsigned sum = 5 * row[own] + row[right] + 1;
    __syncwarp();
    row[own] = sum;
    __syncwarp();
  }
#else
  __syncthreads();
  for (int s = 0; s < most_steps; ++s) {
    const unsigned sum = 5 * row[own] + row[right] + 1;
    __syncthreads();
    if (s < steps) row[own] = sum;
    __syncthreads();
  }
#endif
  cell[blockIdx.x * threads + own] = row[own];
}

int main() {
  unsigned* cell;
  std::vector<unsigned> host(blocks * threads, 1);
  check(cudaMalloc(&cell, host.size() * sizeof(unsigned)));
  check(cudaMemcpy(cell, host.data(), host.size() * sizeof(unsigned), cudaMemcpyHostToDevice));
  for (int l = 0; l < launches; ++l) {
    relax<<<blocks, threads>>>(cell);
    check(cudaGetLastError());
  }
  check(cudaMemcpy(host.data(), cell, host.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
  std::printf("%u %u\n", host.front(), host.back());
}
