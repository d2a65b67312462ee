// What check-worker asks a worker to measure: for each of its ops the smallest point there is.
#pragma once

#include <optional>
#include <vector>

#include <nlohmann/json.hpp>

#include "driver/workers/worker_info.hpp"

namespace syncmeter {

/// A request without kind and id. Nothing for what cannot be measured here: an op that is not
/// supported, of a backend with a problem or without a device, or of more lanes than `pus`.
[[nodiscard]] std::optional<nlohmann::json>
check_request(const capability& entry, const worker_info& worker, const std::vector<int>& pus);

}  // namespace syncmeter
