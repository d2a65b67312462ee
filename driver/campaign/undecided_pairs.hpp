// Points of two arms that are neither told apart nor told to be the same: where more visits help.
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "driver/plan/plan.hpp"
#include "driver/results/results.hpp"

namespace syncmeter {

class undecided_pairs {
 public:
  /// `plan` must outlive it.
  explicit undecided_pairs(const campaign_plan& plan);

  /// Takes up a visit line; nothing where the plan has no arms.
  void learn(const visit_record& visit);

  struct wanted {
    std::size_t pair = 0;   ///< of plan.pairs
    std::size_t until = 0;  ///< the number of visits at its next look
  };
  [[nodiscard]] std::vector<wanted> lacking() const;

 private:
  const campaign_plan& plan_;
  std::unordered_map<std::string, std::size_t> pair_by_key_;
  results_file seen_;  // visit lines without their rounds
};

}  // namespace syncmeter
