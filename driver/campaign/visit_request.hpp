// What a worker is asked for one visit (docs/worker-protocol.md).
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "driver/plan/plan.hpp"

namespace syncmeter {

/// What the campaign has learnt so far that a visit goes by.
struct visit_context {
  std::uint64_t seed = 0;
  std::uint32_t trips = 0;  ///< that the last good visit calibrated; 0 when there is none
  std::vector<double> quiet_floor_ns;   ///< of its lanes; empty when none is known
  bool watch_states = false;            ///< its lanes' hops are probed around each round
  std::vector<double> state_bounds_ns;  ///< between classes of hops
};

[[nodiscard]] nlohmann::json visit_request(const planned_point& planned, unsigned visit,
                                           const run_options& options,
                                           const visit_context& context);

}  // namespace syncmeter
