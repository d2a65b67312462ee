// What NVIDIA's management library says of a GPU while it measures. The library comes with the
// driver; where it is missing nothing is said.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace syncmeter::cuda {

/// {"clock_reasons":["sw_power_cap"],"other_processes":0,"temperature_c":41,"power_w":310.5} of the
/// device with this UUID; members that the library does not tell are left out, all of them without
/// it. A question takes milliseconds: an answer serves for a quarter of a second.
[[nodiscard]] nlohmann::json ask_nvml(const std::string& uuid);

/// How many NVLinks of the device with this UUID are up; 0 where the library does not tell.
[[nodiscard]] unsigned active_nvlinks(const std::string& uuid);

}  // namespace syncmeter::cuda
