// Reports from NVIDIA's management library about a GPU during measurements. The library comes with
// the driver. Without it, all reports are empty.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace syncmeter::cuda {

/// Returns
/// {"clock_reasons":["sw_power_cap"],"other_processes":0,"temperature_c":41,"power_w":310.5} for
/// the device with this UUID. Omits members the library does not report. A query takes
/// milliseconds: an answer stays valid for a quarter of a second.
[[nodiscard]] nlohmann::json ask_nvml(const std::string& uuid);

/// Returns the recent share of time (a sixth of a second to one second) with a running kernel in
/// percent, by device UUID. Omits devices unknown to the library. Asks again a second later about
/// busy devices: a program that has just ended does not count.
[[nodiscard]] std::map<std::string, unsigned> busy_percents(const std::vector<std::string>& uuids);

/// Returns the number of active NVLinks for the device with this UUID, or 0 if unknown.
[[nodiscard]] unsigned active_nvlinks(const std::string& uuid);

}  // namespace syncmeter::cuda
