// The two arms of a results file, point by point.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "driver/plan/compared_arms.hpp"
#include "driver/results/paired_changes.hpp"
#include "driver/results/results.hpp"

namespace syncmeter {

/// A point of both arms.
struct arm_change {
  point what;                       ///< of the first arm, its backend without the arm
  std::string key;                  ///< arm_key()
  paired_change change;             ///< inside one placement state
  std::array<double, 2> cost_ns{};  ///< median over the visits compared; 0 without any
  double hop_ns = 0;                ///< of the state; 0 without pair probe
  bool busy = false;                ///< of the state
  std::size_t pairs = 0;            ///< of visits compared
  std::size_t visits = 0;           ///< the highest number of a visit
  double confidence = 0.95;         ///< of the interval
  std::string why;                  ///< why nothing was compared, or too little; else empty
  bool settled = false;             ///< more visits would not tell more
  bool broken = false;              ///< it failed in the second arm alone
};

struct arm_comparison {
  compared_arms arms;
  std::vector<arm_change> points;
  [[nodiscard]] std::vector<const arm_change*> of(change_verdict verdict) const;
  /// As `syncmeter-report compare` ends: 0 nothing got slower, 1 something did, or a point failed
  /// in the second arm alone, 2 nothing can be compared.
  [[nodiscard]] int exit_status() const;
};

/// What a campaign line says of arms; nothing where it is of a campaign without. Throws usage_error
/// where it cannot be read.
[[nodiscard]] std::optional<compared_arms> arms_in(const results_file& file);

/// `planned` visits of each point. Visits are paired by number, inside the placement state that
/// both arms have most of them in, quiet before busy.
[[nodiscard]] arm_comparison compare_arms(const results_file& file, const compared_arms& arms,
                                          std::size_t planned);

}  // namespace syncmeter
