// A kernel for each small step, whose end is a barrier between the steps.
// Slow: the host launches each kernel, which takes it as long as the kernel runs, or longer. Fixed
// (-DFIXED): graphs of 20 steps each, launched one after the other.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#ifndef TIMES
#define TIMES 1
#endif
constexpr int steps = TIMES * 100'000, cells = 4096, threads = 256;

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(1);
}

__global__ void step(const float* from, float* to) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  to[i] = 0.5F * (from[i] + from[(i + 1) % cells]);
}

void do_steps(float* (&field)[2], int count, cudaStream_t stream) {
  for (int s = 0; s < count; ++s)
    step<<<cells / threads, threads, 0, stream>>>(field[s % 2], field[1 - s % 2]);
}

int main() {
  float* field[2];
  std::vector<float> host(cells);
  for (int i = 0; i < cells; ++i) host[i] = static_cast<float>(i % 7);
  for (float*& each : field) check(cudaMalloc(&each, cells * sizeof(float)));
  check(cudaMemcpy(field[0], host.data(), cells * sizeof(float), cudaMemcpyHostToDevice));
  cudaStream_t stream;
  check(cudaStreamCreate(&stream));
#ifdef FIXED
  constexpr int of_graph = 20;
  cudaGraph_t graph;
  cudaGraphExec_t launched;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  do_steps(field, of_graph, stream);
  check(cudaStreamEndCapture(stream, &graph));
  check(cudaGraphInstantiate(&launched, graph, 0));
  for (int s = 0; s < steps; s += of_graph) check(cudaGraphLaunch(launched, stream));
#else
  do_steps(field, steps, stream);
#endif
  check(cudaStreamSynchronize(stream));
  check(cudaMemcpy(host.data(), field[0], cells * sizeof(float), cudaMemcpyDeviceToHost));
  double sum = 0;
  for (const float each : host) sum += each;
  std::printf("%.1f\n", sum);
}
