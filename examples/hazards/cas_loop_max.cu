// The largest value of each of 1024 columns, of floats that are not negative.
// Slow: a loop around a compare-and-swap, which tries again when another thread came between.
// Fixed (-DFIXED): floats without a sign compare as their bits do, for which there is an atomicMax.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#ifndef TIMES
#define TIMES 1
#endif
constexpr int launches = TIMES * 400, values = 1 << 24, columns = 1024, threads = 256;

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(1);
}

__device__ void raise_to(float* cell, float value) {
#ifdef FIXED
  atomicMax(reinterpret_cast<int*>(cell), __float_as_int(value));
#else
  int* const bits = reinterpret_cast<int*>(cell);
  int seen = *bits, expected = 0;
  do {
    expected = seen;
    seen = atomicCAS(bits, expected, __float_as_int(fmaxf(value, __int_as_float(expected))));
  } while (seen != expected);
#endif
}

__global__ void find_largest(const float* value, float* largest) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  raise_to(&largest[i % columns], value[i]);
}

int main() {
  float *value, *largest;
  std::vector<float> host(values), found(columns);
  for (unsigned i = 0; i < values; ++i) host[i] = static_cast<float>(i * 2654435761U >> 8);
  check(cudaMalloc(&value, values * sizeof(float)));
  check(cudaMalloc(&largest, columns * sizeof(float)));
  check(cudaMemcpy(value, host.data(), values * sizeof(float), cudaMemcpyHostToDevice));
  for (int l = 0; l < launches; ++l) {
    check(cudaMemsetAsync(largest, 0, columns * sizeof(float)));
    find_largest<<<values / threads, threads>>>(value, largest);
    check(cudaGetLastError());
  }
  check(cudaMemcpy(found.data(), largest, columns * sizeof(float), cudaMemcpyDeviceToHost));
  double sum = 0;
  for (const float each : found) sum += each;
  std::printf("%.0f\n", sum);
}
