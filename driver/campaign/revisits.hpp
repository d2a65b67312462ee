// Points to be visited again, beyond the plan: on a busy host some have too few visits in which
// their lanes were left alone, or in the placement of the points that they are compared with.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "driver/plan/plan.hpp"
#include "driver/results/results.hpp"

namespace syncmeter {

class revisits {
 public:
  /// `points` must outlive it.
  explicit revisits(const std::vector<planned_point>& points);

  /// Takes up what a visit says of its states.
  void learn(const visit_record& visit);

  struct wanted {
    std::size_t point = 0;   ///< of the plan
    std::size_t visits = 0;  ///< that it lacks
  };
  /// Points that lack quiet visits, those that lack most first.
  [[nodiscard]] std::vector<wanted> lacking() const;

 private:
  const std::vector<planned_point>& points_;
  std::unordered_map<std::string, std::size_t> index_;  // by canonical text
  std::set<std::size_t> lost_;  // points with a visit that told nothing: they have failed
  results_file visits_;         // what `lacking` asks of each
};

}  // namespace syncmeter
