// The launches that tell GPCs apart: as many clusters at once as there is room for.
#include <algorithm>
#include <map>

#include "backends/cuda/cuda_check.hpp"
#include "backends/cuda/cuda_kernel.cuh"
#include "backends/cuda/cuda_launch.hpp"
#include "backends/cuda/gpc_map.hpp"
#include "backends/cuda/handoff_flag.cuh"

namespace syncmeter::cuda {
namespace {

// Blocks of which several fit on a multiprocessor: only when all its places are taken has each one
// had a cluster.
constexpr unsigned probe_threads = 256;
constexpr unsigned largest_probed = 16;

// Stays for so long that all clusters are there at once.
__global__ void say_where(unsigned* seen) {
  if (threadIdx.x != 0) return;
  seen[blockIdx.x] = multiprocessor();
  const std::int64_t until = global_timer() + 50'000;
  while (global_timer() < until) {
  }
}

std::vector<int> probe(const device_facts& device) {
  const unsigned size = std::min(device.largest_cluster, largest_probed);
  if (size < 2) return {};
  const auto* stub = reinterpret_cast<const void*>(&say_where);
  SM_CUDA(cudaFuncSetAttribute(stub, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  const stream in;
  launch_shape shape{.blocks = size, .lanes = probe_threads, .stream = in.get(), .cluster = size};
  int clusters = 0;
  SM_CUDA(cudaOccupancyMaxActiveClusters(&clusters, stub, launch_config{shape}.get()));
  if (clusters <= 0) return {};
  shape.blocks = static_cast<unsigned>(clusters) * size;
  device_buffer there;
  auto* seen = static_cast<unsigned*>(there.fit(shape.blocks * sizeof(unsigned)));
  std::vector<unsigned> all(shape.blocks);
  const launch_config config{shape};
  void* arguments[] = {&seen};
  SM_CUDA(cudaLaunchKernelExC(config.get(), stub, arguments));
  SM_CUDA(cudaMemcpyAsync(all.data(), seen, all.size() * sizeof(unsigned), cudaMemcpyDeviceToHost,
                          in.get()));
  SM_CUDA(cudaStreamSynchronize(in.get()));
  return gpcs_from(all, size, device.multiprocessors);
}

}  // namespace

const std::vector<int>& gpcs_of(const device_facts& device) {
  static std::map<int, std::vector<int>> known;
  const auto found = known.find(device.index);
  if (found != known.end()) return found->second;
  std::vector<int> gpcs;
  try {
    gpcs = probe(device);
  } catch (const cuda_error&) {  // then it cannot be told
  }
  return known.emplace(device.index, std::move(gpcs)).first->second;
}

}  // namespace syncmeter::cuda
