// How often each of 256 values occurs.
// Slow: all threads add to one table in global memory. Fixed (-DFIXED): each block counts in a
// table of its own in shared memory, and adds it to the one in global memory once.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#ifndef TIMES
#define TIMES 1
#endif
constexpr int launches = TIMES * 20, values = 1 << 26, bins = 256, threads = 256;

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(1);
}

__global__ void histogram(const unsigned char* value, unsigned* count) {
  const int first = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
#ifdef FIXED
  __shared__ unsigned of_block[bins];
  of_block[threadIdx.x] = 0;
  __syncthreads();
  for (int i = first; i < values; i += static_cast<int>(gridDim.x * blockDim.x))
    atomicAdd(&of_block[value[i]], 1U);
  __syncthreads();
  atomicAdd(&count[threadIdx.x], of_block[threadIdx.x]);
#else
  atomicAdd(&count[value[first]], 1U);
#endif
}

int main() {
  unsigned char* value;
  unsigned* count;
  std::vector<unsigned char> host(values);
  for (unsigned i = 0; i < values; ++i) host[i] = static_cast<unsigned char>(i * 2654435761U >> 24);
  std::vector<unsigned> counted(bins);
  check(cudaMalloc(&value, values));
  check(cudaMalloc(&count, bins * sizeof(unsigned)));
  check(cudaMemcpy(value, host.data(), values, cudaMemcpyHostToDevice));
#ifdef FIXED
  constexpr int blocks = 1024;
#else
  constexpr int blocks = values / threads;
#endif
  for (int l = 0; l < launches; ++l) {
    check(cudaMemsetAsync(count, 0, bins * sizeof(unsigned)));
    histogram<<<blocks, threads>>>(value, count);
    check(cudaGetLastError());
  }
  check(cudaMemcpy(counted.data(), count, bins * sizeof(unsigned), cudaMemcpyDeviceToHost));
  std::printf("%u %u %u\n", counted[0], counted[128], counted[255]);
}
