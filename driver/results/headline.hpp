// The placement states in a point's visits, and the choice of the headline, the state that tables
// show first.
#pragma once

#include <compare>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "driver/results/results.hpp"

namespace syncmeter {

/// A visit with fewer rounds says too little to choose a state by.
inline constexpr std::size_t enough_rounds = 5;

/// Enough visits for an interval. A point with fewer needs all of them.
inline constexpr std::size_t enough_visits = 3;

/// The placement states in a whole results file: classes of the hop between lanes, over all visits.
/// A state may appear only minutes after the start-up probe.
class state_classes {
 public:
  explicit state_classes(const results_file& file);

  /// Returns the class of an estimate for a point with `lanes` lanes. Class 0 is the fastest. An
  /// estimate without a pair probe keeps its visit's class.
  [[nodiscard]] unsigned of(const estimate_record& estimate, unsigned lanes) const;

 private:
  std::map<unsigned, std::vector<double>> bounds_ns_;  // by lanes
};

/// A placement state: its hop class within a file (0 is the nearest), and whether a quiet probe was
/// slow.
struct state_key {
  unsigned state_class = 0;
  bool busy = false;
  auto operator<=>(const state_key&) const = default;
};

/// A visit's estimate in one state.
struct visit_estimate : estimate_record {
  std::size_t visit = 0;  ///< index into the point's visits
  [[nodiscard]] bool is_solid() const { return rounds >= enough_rounds; }
};

/// Returns the estimates with enough rounds, or all if none has enough.
[[nodiscard]] std::vector<visit_estimate>
solid_visits(const std::vector<visit_estimate>& estimates);

[[nodiscard]] std::size_t rounds_in(const std::vector<visit_estimate>& estimates);

using visits_of_point = std::vector<const visit_record*>;
using point_states = std::map<state_key, std::vector<visit_estimate>>;
[[nodiscard]] point_states states_of(const visits_of_point& visits, unsigned lanes,
                                     const state_classes& classes);

/// Chooses the state that tables show first, independent of the states' frequency. Considers states
/// that three visits had with enough rounds, and prefers quiet, then the nearest placement. If
/// possible, points of one family on the same PUs show the same placement: the nearest among those
/// in half of the points.
class headline_rule {
 public:
  void add(const std::string& family, const std::vector<int>& pus, const point_states& states);

  /// Returns the state for an added point. `states` holds at least one.
  [[nodiscard]] state_key of(const std::string& family, const std::vector<int>& pus,
                             const point_states& states) const;
  /// Returns the visits with enough quiet rounds, in the family's placement.
  [[nodiscard]] std::size_t quiet_visits(const std::string& family, const std::vector<int>& pus,
                                         const point_states& states) const;

 private:
  struct group {
    std::size_t points = 0;
    std::map<unsigned, std::size_t> points_by_class;
  };
  [[nodiscard]] std::optional<unsigned> common_class(const std::string& family,
                                                     const std::vector<int>& pus) const;
  std::map<std::pair<std::string, std::vector<int>>, group> groups_;
};

}  // namespace syncmeter
