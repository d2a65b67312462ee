// Makes a worker's request for one visit (docs/reference/worker-protocol.md), and handles visits
// without an answer.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "driver/plan/plan.hpp"
#include "driver/workers/visit_record.hpp"
#include "driver/workers/worker_pool.hpp"

namespace syncmeter {

/// The quiet probe's best times on the PUs of each point's lanes, over all processes of a campaign.
/// Each pass measures in new processes, and floors stay valid for the next process.
class quiet_floors {
 public:
  /// Returns the floors per lane in ns, or an empty list if unknown.
  [[nodiscard]] std::vector<double> of(const std::vector<int>& pus) const;
  /// Adds a visit's floors. A worker without quiet probes has none.
  void learn(const visit_record& visit);

 private:
  std::map<std::vector<int>, std::vector<double>> known_;
};

/// The campaign's knowledge that a visit uses.
struct visit_context {
  std::uint64_t seed = 0;
  std::uint32_t trips = 0;              ///< calibrated by the last good visit, else 0
  std::vector<double> quiet_floor_ns;   ///< for its lanes; empty if unknown
  bool watch_states = false;            ///< probes its lanes' hops around each round
  std::vector<double> state_bounds_ns;  ///< between hop classes
};

[[nodiscard]] nlohmann::json visit_request(const planned_point& planned, unsigned visit,
                                           const run_options& options,
                                           const visit_context& context);

/// Visits without an answer: their lines in the file, their messages to the user, and when the rest
/// of an op is not tried any more.
class lost_visits {
 public:
  struct loss {
    nlohmann::json line;                 ///< for the visit
    std::vector<std::string> sentences;  ///< for the user: one per cause, the first time
  };

  /// Returns the line for a visit that is not tried, because too many of its op were lost in a row.
  [[nodiscard]] std::optional<nlohmann::json> not_tried(const planned_point& planned,
                                                        unsigned visit) const;
  /// Resets the losses of its op.
  void answered(const planned_point& planned);
  /// Handles an `outcome` that is neither `answered` nor `cancelled`. `text` names the point for
  /// the user.
  [[nodiscard]] loss lose(const planned_point& planned, unsigned visit, const std::string& text,
                          const exchange_outcome& outcome);

 private:
  std::map<std::string, unsigned> in_a_row_;  // by backend and op
  std::set<std::string> reported_causes_;
};

}  // namespace syncmeter
