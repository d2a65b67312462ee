// What a worker is asked for one visit (docs/worker-protocol.md), and visits that no worker
// answered.
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

/// What stands in the file for visits that no worker answered, what the user reads of them, and
/// when the rest of an op is not tried any more.
class lost_visits {
 public:
  struct loss {
    nlohmann::json line;                 ///< of the visit
    std::vector<std::string> sentences;  ///< for the user: one for each cause, the first time
  };

  /// The line of a visit that is not tried: too many of its op were lost in a row.
  [[nodiscard]] std::optional<nlohmann::json> not_tried(const planned_point& planned,
                                                        unsigned visit) const;
  /// Its op is well.
  void answered(const planned_point& planned);
  /// `outcome`: neither `answered` nor `cancelled`. `text`: the point, for the user.
  [[nodiscard]] loss lose(const planned_point& planned, unsigned visit, const std::string& text,
                          const exchange_outcome& outcome);

 private:
  std::map<std::string, unsigned> in_a_row_;  // by backend and op
  std::set<std::string> reported_causes_;
};

}  // namespace syncmeter
