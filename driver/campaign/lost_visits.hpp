// Visits that no worker answered: what stands for them in the file, what the user reads of them,
// and when the rest of an op is not tried any more.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "driver/plan/plan.hpp"
#include "driver/workers/worker_pool.hpp"

namespace syncmeter {

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
