// How a worker takes what it cannot serve: requests that it cannot read or has no point for, a
// stop, and the end of its input (docs/worker-protocol.md).
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "driver/workers/worker_process.hpp"

namespace syncmeter {

struct worker_to_try {
  std::string name;
  std::string path;
  worker_deadlines deadlines;
};

/// A sentence for each fault. `request` is a `measure` request that the worker can serve, without
/// kind and id; null where there is none.
[[nodiscard]] std::vector<std::string> flawed_manners(const worker_to_try& what,
                                                      const nlohmann::json& request);

}  // namespace syncmeter
