// Points to be visited again, beyond the plan: those whose cost is known worst, and on a busy host
// those with too few visits in which their lanes were left alone, or in the placement of the points
// that they are compared with. A rule for spending time: it gives no verdict.
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
  /// `points` must outlive it.
  explicit revisits(const std::vector<planned_point>& points);

  /// Takes up what a visit says of its states.
  void learn(const visit_record& visit);

  struct wanted {
    std::size_t point = 0;   ///< of the plan
    std::size_t visits = 0;  ///< quiet ones that it lacks
    double error = 0;        ///< half of the interval over the cost; 0: precise, or not known
  };
  /// Points that lack quiet visits, and those whose interval is wide, the widest first.
  [[nodiscard]] std::vector<wanted> lacking() const;

  struct meeting_points {
    std::vector<std::size_t> points;  ///< of the plan, without those that failed
    std::size_t placements = 0;       ///< in which one was seen often enough for a row of the
                                      ///< table: classes of hops
  };
  /// Points with a hop between their lanes.
  [[nodiscard]] meeting_points meeting() const;

 private:
  [[nodiscard]] std::unordered_map<std::string, double> errors() const;  // by canonical text

  const std::vector<planned_point>& points_;
  std::unordered_map<std::string, std::size_t> index_;  // by canonical text
  std::set<std::size_t> lost_;  // points with a visit without an estimate: they failed
  results_file visits_;         // without their rounds
};

/// An interval within this share of the cost is precise: of its point nothing is asked.
inline constexpr double precise_error = 0.05;
/// For their precision points get no more visits than this times the planned ones.
inline constexpr std::size_t most_times_the_visits = 3;

/// The chance, of a campaign in which nothing changed, to report a change all the same.
inline constexpr double chance_of_false_alarm = 0.05;

/// Whether more pairs of visits may decide what these leave open: fewer than three, or the interval
/// of the logarithms of their ratios straddles the threshold. Student's t around the median, at
/// `alpha` within the threshold; beyond it at alpha / `pairs`, as one of so many.
[[nodiscard]] bool is_undecided(std::span<const double> logs, double threshold, double alpha,
                                std::size_t pairs);

/// Looking until something shows would raise false alarms: the first look, at the planned visits,
/// takes half of the chance, each further one a tenth. That is all of it after six looks if
/// they had no visits in common; as they have, it is less (docs/estimates.md).
[[nodiscard]] double share_of_look(std::size_t visits, std::size_t planned);
/// The number of visits at the look after one at `visits`: half as many more.
[[nodiscard]] std::size_t next_look_at(std::size_t visits);

/// The stopping rule of `syncmeter ab --budget`: which pairs of points are visited again, and until
/// when they are not looked at. It reads estimates and gives no verdict: `syncmeter-report compare`
/// judges the file.
class undecided_pairs {
 public:
  /// `plan` must outlive it.
  explicit undecided_pairs(const campaign_plan& plan) : plan_(plan) {}

  /// Takes up a visit line; nothing where the plan has no arms.
  void learn(const visit_record& visit);

  struct wanted {
    std::size_t pair = 0;   ///< of plan.pairs
    std::size_t until = 0;  ///< the number of visits at its next look
  };
  /// Without pairs of which a side failed or cannot be measured.
  [[nodiscard]] std::vector<wanted> lacking() const;

 private:
  const campaign_plan& plan_;
  results_file visited_;                                 // visit lines without their rounds
  std::unordered_map<std::string, std::size_t> visits_;  // the highest number, by canonical text
};

}  // namespace syncmeter
