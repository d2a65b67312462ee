// Kernels whose synchronization `syncmeter advise --static` finds, by line.
#include <cuda/atomic>

__device__ int hits;
__device__ float greatest;

__global__ void count_hits(const int* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] > 3) atomicAdd(&hits, 1);  // on one cell
}

__global__ void histogram(const int* in, int n, int* bins) {
  __shared__ int own[256];
  own[threadIdx.x] = 0;
  __syncthreads();  // cleared
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&own[in[i] & 255], 1);                // shared
  __syncthreads();                                  // filled
  atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);  // global
}

__global__ void maximum(const float* in) {
  int* const at = reinterpret_cast<int*>(&greatest);
  const float mine = in[threadIdx.x];
  int seen = *at;
  while (__int_as_float(seen) < mine) {
    const int before = atomicCAS(at, seen, __float_as_int(mine));  // again
    if (before == seen) break;
    seen = before;
  }
}

__global__ void by_default(int* counter) {
  cuda::atomic_ref<int>(*counter).fetch_add(1);  // without order and scope
}

int main() {
  count_hits<<<1, 1>>>(nullptr, 0);
  histogram<<<1, 256>>>(nullptr, 0, nullptr);
  maximum<<<1, 1>>>(nullptr);
  by_default<<<1, 1>>>(nullptr);
}
