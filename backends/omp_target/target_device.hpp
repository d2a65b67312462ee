// The devices that OpenMP can use, as the worker protocol lists GPUs.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace syncmeter::omp_target {

/// What stands in OMP_TARGET_OFFLOAD; where it is "disabled" the host stands for a device.
[[nodiscard]] bool runs_on_host();

struct found_devices {
  nlohmann::json devices = nlohmann::json::array();
  std::string problem;  ///< why there is none; empty where there are some
};
/// Asked for once.
[[nodiscard]] const found_devices& find_devices();

}  // namespace syncmeter::omp_target
