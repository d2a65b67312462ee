// Chooses points for visits beyond the plan: points with the least precise cost, and on a busy host
// points with too few quiet visits, or too few in the placement of the points compared with them.
// The rule spends time, and gives no verdict.
#pragma once

#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "driver/plan/plan.hpp"
#include "driver/results/results.hpp"

namespace syncmeter {

class revisits {
 public:
  /// `points` must outlive this object.
  explicit revisits(const std::vector<planned_point>& points);

  /// Adds a visit's states.
  void learn(const visit_record& visit);

  struct wanted {
    std::size_t point = 0;   ///< index in the plan
    std::size_t visits = 0;  ///< quiet visits missing
    double error = 0;        ///< half the interval over the cost; 0: precise, or unknown
  };
  /// Returns points that lack quiet visits, and points with a wide interval, the widest first.
  [[nodiscard]] std::vector<wanted> lacking() const;

  struct meeting_points {
    std::vector<std::size_t> points;  ///< in the plan, without failed points
    std::size_t placements = 0;       ///< hop classes in which a point was seen often enough for a
                                      ///< table row
  };
  /// Returns points with a hop between their lanes.
  [[nodiscard]] meeting_points meeting() const;

 private:
  [[nodiscard]] std::unordered_map<std::string, double> errors() const;  // by canonical text

  const std::vector<planned_point>& points_;
  std::unordered_map<std::string, std::size_t> index_;  // by canonical text
  std::set<std::size_t> lost_;  // failed points: a visit without an estimate
  results_file visits_;         // without their rounds
};

/// An interval within this share of the cost is precise: its point needs no more visits.
inline constexpr double precise_error = 0.05;
/// For precision, points get at most this many times the planned visits.
inline constexpr std::size_t most_times_the_visits = 3;

/// The chance to report a change in a campaign in which nothing changed.
inline constexpr double chance_of_false_alarm = 0.05;

/// Returns whether more visit pairs may decide the comparison: there are fewer than three pairs, or
/// the interval of the log ratios straddles the threshold. Uses Student's t around the median, at
/// `alpha` within the threshold, and beyond it at alpha / `pairs`, because as many pairs are
/// compared.
[[nodiscard]] bool is_undecided(std::span<const double> logs, double threshold, double alpha,
                                std::size_t pairs);

/// Returns a look's share in the chance, because unlimited looks would raise false alarms. The
/// first look, at the planned visits, takes half of the chance, each further look a tenth. Six
/// looks with separate visits would take the whole chance. Looks share visits, which reduces the
/// total (docs/evidence/comparisons.md).
[[nodiscard]] double share_of_look(std::size_t visits, std::size_t planned);
/// Returns the number of visits at the look after `visits`: half as many more.
[[nodiscard]] std::size_t next_look_at(std::size_t visits);

/// The stopping rule of `syncmeter ab --budget`: chooses pairs of points to visit again, and their
/// visits until the next look. Reads estimates and gives no verdict, because `syncmeter-report
/// compare` judges the file.
class undecided_pairs {
 public:
  /// `plan` must outlive this object.
  explicit undecided_pairs(const campaign_plan& plan) : plan_(plan) {}

  /// Adds a visit line, if the plan has arms.
  void learn(const visit_record& visit);

  struct wanted {
    std::size_t pair = 0;   ///< index in plan.pairs
    std::size_t until = 0;  ///< the number of visits at its next look
  };
  /// Returns undecided pairs, except pairs with a side that failed or cannot be measured.
  [[nodiscard]] std::vector<wanted> lacking() const;

 private:
  const campaign_plan& plan_;
  results_file visited_;                                 // visit lines without their rounds
  std::unordered_map<std::string, std::size_t> visits_;  // the highest number, by canonical text
};

}  // namespace syncmeter
