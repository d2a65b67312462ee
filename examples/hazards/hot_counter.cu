// A sum of floats to which each thread adds its value.
// Slow: each add waits for the one before, at one address. Fixed (-DFIXED): a warp adds up its
// values first, so that one thread of 32 adds to the sum.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#ifndef TIMES
#define TIMES 1
#endif
constexpr int launches = TIMES * 10, values = 1 << 24, threads = 256;

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(1);
}

__global__ void add_up(const float* value, float* sum) {
  float mine = value[blockIdx.x * blockDim.x + threadIdx.x];
#ifdef FIXED
  for (int lanes = 16; lanes > 0; lanes /= 2) mine += __shfl_xor_sync(~0U, mine, lanes);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, mine);
#else
  atomicAdd(sum, mine);
#endif
}

int main() {
  float *value, *sum, total = 0;
  std::vector<float> host(values);
  for (int i = 0; i < values; ++i) host[i] = i % 64 == 0 ? 1.0F : 0.0F;
  check(cudaMalloc(&value, values * sizeof(float)));
  check(cudaMalloc(&sum, sizeof(float)));
  check(cudaMemcpy(value, host.data(), values * sizeof(float), cudaMemcpyHostToDevice));
  check(cudaMemset(sum, 0, sizeof(float)));
  for (int l = 0; l < launches; ++l) {
    add_up<<<values / threads, threads>>>(value, sum);
    check(cudaGetLastError());
  }
  check(cudaMemcpy(&total, sum, sizeof total, cudaMemcpyDeviceToHost));
  std::printf("%.0f\n", total);
}
