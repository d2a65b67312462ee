// The GPUs of this machine, as capabilities, results and the rig need them.
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
  unsigned largest_cluster = 0;  ///< blocks; 0: it has no clusters
  double highest_clock_ghz = 0;  ///< of its multiprocessors
};

void to_json(nlohmann::json& j, const device_facts& d);

/// What is found of CUDA here.
struct device_list {
  std::vector<device_facts> devices;
  std::string problem;  ///< why nothing can be measured; empty when there is a device
};

/// Looks once; never throws. A machine without a driver or a device is a list with a problem.
[[nodiscard]] const device_list& find_devices();

/// {"driver":"13.0","runtime":"13.0"}.
[[nodiscard]] nlohmann::json versions();

/// The architectures that this build holds code for: "sm_90", ...
[[nodiscard]] std::vector<std::string> architectures();

/// Makes `index` this process's device. Throws std::runtime_error with the devices there are when
/// it is not one, and with what to build when this build has no code for it.
[[nodiscard]] const device_facts& use_device(int index);

}  // namespace syncmeter::cuda
