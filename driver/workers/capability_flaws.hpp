// What is wrong with capabilities that can be read: `check-worker` tells a worker's author, `run`
// makes do with them.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "driver/workers/worker_info.hpp"

namespace syncmeter {

/// One sentence for each flaw of a `capabilities` line that was read into `info` without a problem.
[[nodiscard]] std::vector<std::string> capability_flaws(const nlohmann::json& line,
                                                        const worker_info& info);

}  // namespace syncmeter
