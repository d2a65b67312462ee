// Counters of what is done, at which nobody looks before the kernel has ended.
// Slow: `++` of a cuda::atomic without a scope is sequentially consistent, for the host and for
// other GPUs too. Fixed (-DFIXED): relaxed, among the threads of this GPU.
#include <cuda_runtime.h>

#include <cuda/atomic>

#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

#ifndef TIMES
#define TIMES 1
#endif
constexpr int rounds = TIMES * 400'000, counters = 4096, blocks = 132, threads = 64;

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(1);
}

__global__ void work(unsigned* done) {
  const unsigned first = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned r = 0; r < rounds; ++r) {
    unsigned& mine = done[(first + r * 32) % counters];
#ifdef FIXED
    const cuda::atomic_ref<unsigned, cuda::thread_scope_device> counter(mine);
    counter.fetch_add(1, cuda::memory_order_relaxed);
#else
    const cuda::atomic_ref<unsigned> counter(mine);
    ++counter;
#endif
  }
}

int main() {
  unsigned* done;
  std::vector<unsigned> host(counters);
  check(cudaMalloc(&done, counters * sizeof(unsigned)));
  check(cudaMemset(done, 0, counters * sizeof(unsigned)));
  work<<<blocks, threads>>>(done);
  check(cudaGetLastError());
  check(cudaMemcpy(host.data(), done, counters * sizeof(unsigned), cudaMemcpyDeviceToHost));
  std::printf("%lld %u\n", std::accumulate(host.begin(), host.end(), 0LL), host[1]);
}
