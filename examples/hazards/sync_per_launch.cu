// A synchronization after each kernel, although the host looks at nothing until the end.
// Slow: the GPU is idle from the end of each kernel until the host has been told and has launched
// the next one. Fixed (-DFIXED): one synchronization at the end.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

#ifndef TIMES
#define TIMES 1
#endif
constexpr int kernels = TIMES * 40'000, cells = 4096, threads = 256;

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(1);
}

__global__ void add(int* cell, int rounds) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  int mine = cell[i];
  for (int r = 0; r < rounds; ++r) {
    ++mine;
    asm volatile("" : "+r"(mine));  // one after the other
  }
  cell[i] = mine;
}

int main() {
  int *cell, last = 0;
  check(cudaMalloc(&cell, cells * sizeof(int)));
  check(cudaMemset(cell, 0, cells * sizeof(int)));
  for (int k = 0; k < kernels; ++k) {
    add<<<cells / threads, threads>>>(cell, 1000);
#ifndef FIXED
    check(cudaDeviceSynchronize());
#endif
  }
  check(cudaMemcpy(&last, cell + cells - 1, sizeof last, cudaMemcpyDeviceToHost));
  std::printf("%d\n", last);
}
