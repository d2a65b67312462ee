// What a worker is asked for one visit (docs/worker-protocol.md).
#pragma once

#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "driver/plan/plan.hpp"
#include "driver/workers/visit_record.hpp"

namespace syncmeter {

/// What the quiet probe took at best on the PUs of each point's lanes, over all processes of a
/// campaign: each pass measures in new ones, and what one has measured holds for the next.
class quiet_floors {
 public:
  /// Per lane, in ns; empty when none is known.
  [[nodiscard]] std::vector<double> of(const std::vector<int>& pus) const;
  /// Takes up what a visit has; one of a worker without quiet probes has nothing.
  void learn(const visit_record& visit);

 private:
  std::map<std::vector<int>, std::vector<double>> known_;
};

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
