// Lists the devices that OpenMP can use, in the worker protocol's form for GPUs.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace syncmeter::omp_target {

/// Returns whether OMP_TARGET_OFFLOAD is "disabled", which makes the host replace a device.
[[nodiscard]] bool runs_on_host();

struct found_devices {
  nlohmann::json devices = nlohmann::json::array();
  std::string problem;  ///< why no device was found, or empty
};
/// Returns the devices. Searches only at the first call.
[[nodiscard]] const found_devices& find_devices();

}  // namespace syncmeter::omp_target
