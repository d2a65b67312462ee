// What NVIDIA's management library reports of a GPU while it measures. The library comes with the
// driver; where it is missing, nothing is reported.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace syncmeter::cuda {

/// {"clock_reasons":["sw_power_cap"],"other_processes":0,"temperature_c":41,"power_w":310.5} of the
/// device with this UUID; members that the library does not tell are left out, all of them without
/// it. A question takes milliseconds: an answer serves for a quarter of a second.
[[nodiscard]] nlohmann::json ask_nvml(const std::string& uuid);

/// Percent of the last moments (a sixth of a second to one second) in which a kernel ran, by the
/// UUID of the device; without those that the library does not know. What looks busy is asked a
/// second time, a second later: a program that has just ended does not count.
[[nodiscard]] std::map<std::string, unsigned> busy_percents(const std::vector<std::string>& uuids);

/// How many NVLinks of the device with this UUID are up; 0 where the library does not tell.
[[nodiscard]] unsigned active_nvlinks(const std::string& uuid);

}  // namespace syncmeter::cuda
