#include "backends/cuda/runtime/peer_devices.hpp"

#include <cuda_runtime_api.h>

#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "backends/cuda/runtime/cuda_check.hpp"
#include "backends/cuda/runtime/cuda_device.hpp"
#include "backends/cuda/runtime/nvml.hpp"
#include "core/worker/worker.hpp"

namespace syncmeter::cuda {
namespace {

// Returns 0 if the runtime does not report the attribute.
int attribute_of_pair(cudaDeviceP2PAttr which, int from, int to) {
  int value = 0;
  if (cudaDeviceGetP2PAttribute(&value, which, from, to) != cudaSuccess) value = 0;
  static_cast<void>(cudaGetLastError());
  return value;
}

std::vector<device_link> look_for_links() {
  std::vector<device_link> links;
  const auto& devices = find_devices().devices;
  for (const device_facts& from : devices) {
    const unsigned nvlinks = devices.size() > 1 ? active_nvlinks(from.uuid) : 0;
    for (const device_facts& to : devices) {
      if (from.index == to.index) continue;
      const auto ask = [&](cudaDeviceP2PAttr which) {
        return attribute_of_pair(which, from.index, to.index);
      };
      links.push_back({.from = from.index,
                       .to = to.index,
                       .peer_access = ask(cudaDevP2PAttrAccessSupported) != 0,
                       .native_atomics = ask(cudaDevP2PAttrNativeAtomicSupported) != 0,
                       .performance_rank = ask(cudaDevP2PAttrPerformanceRank),
                       .nvlinks = nvlinks});
    }
  }
  return links;
}

const device_link* link_between(int from, int to) {
  for (const device_link& link : find_links()) {
    if (link.from == from && link.to == to) return &link;
  }
  return nullptr;
}

// Returns the devices joined by this process so far.
std::set<int>& joined() {
  static std::set<int> devices;
  return devices;
}

// Peers stay peers until the process ends: a second call is no error.
void reach(int from, int to) {
  const scoped_device here{from};
  const cudaError_t code = cudaDeviceEnablePeerAccess(to, 0);
  if (code == cudaErrorPeerAccessAlreadyEnabled) {
    static_cast<void>(cudaGetLastError());
    return;
  }
  if (code == cudaErrorTooManyPeers) {
    static_cast<void>(cudaGetLastError());
    throw point_refused(
        fmt::format("device {} already has the largest number of peers that CUDA allows", from));
  }
  SM_CUDA(code);
}

}  // namespace

void to_json(nlohmann::json& j, const device_link& link) {
  j = {{"from", link.from},
       {"to", link.to},
       {"peer_access", link.peer_access},
       {"native_atomics", link.native_atomics},
       {"performance_rank", link.performance_rank}};
  if (link.nvlinks != 0) j["nvlinks"] = link.nvlinks;
}

const std::vector<device_link>& find_links() {
  static const std::vector<device_link> links = look_for_links();
  return links;
}

std::vector<int> devices_of_point(int first, unsigned devices) {
  if (devices > most_devices)
    throw point_refused(
        fmt::format("--size {}: a point has at most {} devices", devices, most_devices));
  const std::size_t here = find_devices().devices.size();
  if (devices > here) {
    throw point_refused(fmt::format("--size {}: this host has {} CUDA device{}", devices, here,
                                    here == 1 ? "" : "s"));
  }
  std::vector<int> indices;
  for (unsigned i = 0; i < devices; ++i)
    indices.push_back(static_cast<int>((static_cast<std::size_t>(first) + i) % here));
  return indices;
}

void enable_peer_access(const std::vector<int>& devices, bool needs_atomics) {
  for (const int from : devices) {
    for (const int to : devices) {
      const device_link* const link = from == to ? nullptr : link_between(from, to);
      if (link == nullptr) continue;
      if (!link->peer_access) {
        throw point_refused(
            fmt::format("device {} has no peer access to the memory of device {}", from, to));
      }
      if (needs_atomics && !link->native_atomics) {
        throw point_refused(
            fmt::format("device {} has no native atomics in the memory of device {}", from, to));
      }
    }
  }
  {
    const scoped_device back_afterwards{devices.front()};
    for (const int index : devices) static_cast<void>(use_device(index));
  }
  joined().insert(devices.begin(), devices.end());
  for (const int from : devices) {
    for (const int to : devices) {
      if (from != to) reach(from, to);
    }
  }
}

bool lost_a_peer_device() {
  int before = 0;
  if (joined().size() < 2 || cudaGetDevice(&before) != cudaSuccess) return false;
  bool lost = false;
  for (const int index : joined())
    lost = lost || cudaSetDevice(index) != cudaSuccess || is_sticky(cudaDeviceSynchronize());
  SM_CUDA_NOEXCEPT(cudaSetDevice(before));
  return lost;
}

scoped_device::scoped_device(int index) {
  SM_CUDA(cudaGetDevice(&before_));
  SM_CUDA(cudaSetDevice(index));
}

scoped_device::~scoped_device() { SM_CUDA_NOEXCEPT(cudaSetDevice(before_)); }

}  // namespace syncmeter::cuda
