// Launches that distinguish GPCs: as many clusters at once as fit.
#include <algorithm>
#include <map>

#include "backends/cuda/handoff/gpc_map.hpp"
#include "backends/cuda/handoff/handoff.cuh"
#include "backends/cuda/lane/cuda_kernel.cuh"
#include "backends/cuda/runtime/cuda_check.hpp"
#include "backends/cuda/runtime/cuda_launch.hpp"

namespace syncmeter::cuda {
namespace {

// Several blocks fit on a multiprocessor: every multiprocessor has had a cluster only after all
// places are taken.
constexpr unsigned probe_threads = 256;
constexpr unsigned places_on_one = 8;
constexpr unsigned largest_probed = 16;

// Stays until all clusters run at once.
__global__ void report_place(unsigned* places) {
  if (threadIdx.x != 0) return;
  places[blockIdx.x] = multiprocessor();
  const std::int64_t until = global_timer() + 50'000;
  while (global_timer() < until) {
  }
}

// Adds a pair for each block of a cluster and the cluster's first block.
void probe(const device_facts& device, unsigned size, std::vector<unsigned>& pairs) {
  const auto* stub = reinterpret_cast<const void*>(&report_place);
  allow_clusters_of(size, stub);
  const stream in;
  // Fills all places, even if the occupancy calculator does not know them.
  const unsigned clusters = places_on_one * device.multiprocessors / size;
  const launch_shape shape{
      .blocks = clusters * size, .lanes = probe_threads, .stream = in.get(), .cluster = size};
  device_buffer there;
  auto* places = static_cast<unsigned*>(there.fit(shape.blocks * sizeof(unsigned)));
  std::vector<unsigned> all(shape.blocks);
  void* arguments[] = {&places};
  launch_stub(stub, shape, arguments);
  SM_CUDA(cudaMemcpyAsync(all.data(), places, all.size() * sizeof(unsigned), cudaMemcpyDeviceToHost,
                          in.get()));
  SM_CUDA(cudaStreamSynchronize(in.get()));
  for (unsigned i = 0; i < all.size(); ++i) {
    pairs.push_back(all[i - i % size]);
    pairs.push_back(all[i]);
  }
}

// The largest clusters show most, but omit multiprocessors if a GPC's size is no multiple. Smaller
// clusters show the omitted ones.
gpc_map probe(const device_facts& device) {
  gpc_map found;
  if (device.largest_cluster < 2) found.why_unknown = "the device has no clusters";
  std::vector<unsigned> pairs;
  for (unsigned size = std::min(device.largest_cluster, largest_probed); size > 1; size /= 2) {
    try {
      probe(device, size, pairs);
    } catch (const cuda_error& error) {
      found.why_unknown = error.what();
    }
  }
  if (!pairs.empty()) found.gpcs = gpcs_from(pairs, 2, device.multiprocessors);
  return found;
}

}  // namespace

const gpc_map& gpcs_of(const device_facts& device) {
  static std::map<int, gpc_map> known;
  const auto found = known.find(device.index);
  if (found != known.end()) return found->second;
  return known.emplace(device.index, probe(device)).first->second;
}

}  // namespace syncmeter::cuda
