// This machine's GPUs, as needed by capabilities, results and the rig.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace syncmeter::cuda {

struct device_facts {
  int index = 0;
  std::string name, uuid, compute_capability;
  unsigned multiprocessors = 0;
  unsigned max_threads_per_block = 0;
  unsigned max_threads_per_multiprocessor = 0;
  unsigned max_blocks_per_multiprocessor = 0;
  unsigned warp_size = 0;
  std::size_t l2_bytes = 0;
  std::size_t memory_bytes = 0;
  std::size_t shared_bytes_per_block = 0;
  unsigned largest_cluster = 0;  ///< blocks, 0: no clusters
  double highest_clock_ghz = 0;  ///< multiprocessor clock
};

void to_json(nlohmann::json& j, const device_facts& d);

/// The CUDA devices found here.
struct device_list {
  std::vector<device_facts> devices;
  std::string problem;  ///< the reason if nothing can be measured, else empty
};

/// Returns the devices, found once. Never throws. Without a driver or device the list has a
/// problem.
[[nodiscard]] const device_list& find_devices();

/// {"driver":"13.0","runtime":"13.0"}.
[[nodiscard]] nlohmann::json versions();

/// Returns the architectures with code in this build: "sm_90", ...
[[nodiscard]] std::vector<std::string> architectures();

/// Makes `index` this process's device. Throws std::runtime_error with the existing devices for a
/// wrong index, and with the necessary build if this build lacks code for the device.
[[nodiscard]] const device_facts& use_device(int index);

}  // namespace syncmeter::cuda
