// The driver's request for one visit, read by the worker (docs/worker-protocol.md).
#pragma once

#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/worker/worker.hpp"

namespace syncmeter {

struct measure_request {
  point where;
  lane_request lanes;
  unsigned visit = 1;
  bool resumed = false;
  visit_options options;
};

/// OS numbers of PUs, -1 for a lane that is not bound. Throws std::invalid_argument.
[[nodiscard]] std::vector<int> requested_pus(const nlohmann::json& list);

/// `tick_ns` is the smallest step of the host's clock. Throws std::invalid_argument that names the
/// member and what it holds, and what nlohmann::json throws where one is missing.
[[nodiscard]] measure_request read_measure_request(const nlohmann::json& j, double tick_ns);

}  // namespace syncmeter
