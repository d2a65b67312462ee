#include "backends/cuda/runtime/cuda_device.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "backends/cuda/runtime/cuda_check.hpp"

namespace syncmeter::cuda {
namespace {

unsigned attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  SM_CUDA(cudaDeviceGetAttribute(&value, which, device));
  return static_cast<unsigned>(value);
}

std::string uuid_text(const cudaUUID_t& uuid) {
  std::string text = "GPU-";
  for (std::size_t i = 0; i < sizeof uuid.bytes; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", static_cast<unsigned char>(uuid.bytes[i]));
  }
  return text;
}

device_facts facts_of(int index) {
  cudaDeviceProp properties{};
  SM_CUDA(cudaGetDeviceProperties(&properties, index));
  return {.index = index,
          .name = properties.name,
          .uuid = uuid_text(properties.uuid),
          .compute_capability = fmt::format("{}.{}", properties.major, properties.minor),
          .multiprocessors = attribute(cudaDevAttrMultiProcessorCount, index),
          .max_threads_per_block = attribute(cudaDevAttrMaxThreadsPerBlock, index),
          .max_threads_per_multiprocessor =
              attribute(cudaDevAttrMaxThreadsPerMultiProcessor, index),
          .max_blocks_per_multiprocessor = attribute(cudaDevAttrMaxBlocksPerMultiprocessor, index),
          .warp_size = attribute(cudaDevAttrWarpSize, index),
          .l2_bytes = attribute(cudaDevAttrL2CacheSize, index),
          .memory_bytes = properties.totalGlobalMem,
          .shared_bytes_per_block = properties.sharedMemPerBlock,
          // Sixteen on request of the kernel. The occupancy calculator knows a launch's limit.
          .largest_cluster = attribute(cudaDevAttrClusterLaunch, index) != 0 ? 16U : 0U,
          .highest_clock_ghz = attribute(cudaDevAttrClockRate, index) * 1e-6};  // from kHz
}

device_list look_for_devices() {
  device_list found;
  int driver = 0;
  // 0 without an installed driver. The query makes no context.
  if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0) {
    found.problem = "no CUDA driver (libcuda.so.1): install NVIDIA's driver";
    return found;
  }
  int count = 0;
  const cudaError_t code = cudaGetDeviceCount(&count);
  static_cast<void>(cudaGetLastError());
  if (code != cudaSuccess || count == 0) {
    found.problem =
        fmt::format("no CUDA device: {}",
                    code == cudaSuccess ? "the driver reports none" : cudaGetErrorString(code));
    return found;
  }
  try {
    for (int i = 0; i < count; ++i) found.devices.push_back(facts_of(i));
  } catch (const cuda_error& e) {
    found.devices.clear();
    found.problem = fmt::format("the properties of a CUDA device cannot be read: {}", e.what());
  }
  return found;
}

std::string version_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

// Code for an architecture runs on the same major capability and the same or a later minor
// capability.
bool runs_on(const std::string& architecture, const std::string& capability) {
  const std::string digits = architecture.substr(architecture.find_first_of("0123456789"));
  const int built = std::stoi(digits);
  const int major = std::stoi(capability.substr(0, capability.find('.')));
  const int minor = std::stoi(capability.substr(capability.find('.') + 1));
  return built / 10 == major && built % 10 <= minor;
}

// Makes the context. Other processes may have used all memory, or own the device exclusively.
void take(const device_facts& device) {
  try {
    SM_CUDA(cudaSetDevice(device.index));
  } catch (const cuda_error& e) {
    const bool full = e.code == cudaErrorMemoryAllocation;
    if (!full && e.code != cudaErrorDevicesUnavailable) throw;
    throw std::runtime_error(fmt::format("device {} ({}) {}: {}", device.index, device.name,
                                         full ? "has too little free memory for another process"
                                              : "is in exclusive use by another process",
                                         cudaGetErrorName(e.code)));
  }
}

}  // namespace

void to_json(nlohmann::json& j, const device_facts& d) {
  j = {{"index", d.index},
       {"name", d.name},
       {"uuid", d.uuid},
       {"compute_capability", d.compute_capability},
       {"multiprocessors", d.multiprocessors},
       {"max_threads_per_block", d.max_threads_per_block},
       {"max_threads_per_multiprocessor", d.max_threads_per_multiprocessor},
       {"max_blocks_per_multiprocessor", d.max_blocks_per_multiprocessor},
       {"warp_size", d.warp_size},
       {"largest_cluster", d.largest_cluster},
       {"l2_bytes", d.l2_bytes},
       {"memory_bytes", d.memory_bytes}};
}

const device_list& find_devices() {
  static const device_list found = look_for_devices();
  return found;
}

nlohmann::json versions() {
  int driver = 0;
  int runtime = 0;
  static_cast<void>(cudaDriverGetVersion(&driver));
  static_cast<void>(cudaRuntimeGetVersion(&runtime));
  return {{"api", fmt::format("CUDA {}", version_text(runtime))},
          {"driver", driver == 0 ? "none" : version_text(driver)}};
}

std::vector<std::string> architectures() {
  std::istringstream list{SM_CUDA_ARCHITECTURES};
  std::vector<std::string> names;
  for (std::string name; std::getline(list, name, ',');) names.push_back("sm_" + name);
  return names;
}

const device_facts& use_device(int index) {
  const auto& found = find_devices();
  if (!found.problem.empty()) throw std::runtime_error(found.problem);
  const auto device = std::ranges::find(found.devices, index, &device_facts::index);
  if (device == found.devices.end()) {
    std::string list;
    for (const auto& d : found.devices)
      list += fmt::format("{}{} ({})", list.empty() ? "" : ", ", d.index, d.name);
    throw std::runtime_error(
        fmt::format("--device {}: no such CUDA device; available: {}", index, list));
  }
  const auto built = architectures();
  std::string digits = device->compute_capability;
  std::erase(digits, '.');
  if (std::ranges::none_of(
          built, [&](const auto& name) { return runs_on(name, device->compute_capability); })) {
    throw std::runtime_error(fmt::format(
        "device {} ({}) has compute capability {}, and this build has code for {} only: build with "
        "-DCMAKE_CUDA_ARCHITECTURES={}",
        index, device->name, device->compute_capability, fmt::join(built, ", "), digits));
  }
  take(*device);
  return *device;
}

}  // namespace syncmeter::cuda
