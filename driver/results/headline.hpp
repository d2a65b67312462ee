// Which placement states the visits of a point met, and which of them the table shows first: the
// headline.
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

/// Fewer rounds than this in a visit say too little to choose a state by.
inline constexpr std::size_t enough_rounds = 5;

/// So many visits make an interval; a point with fewer needs all of them.
inline constexpr std::size_t enough_visits = 3;

/// The placement states of a whole results file: classes of the hop between lanes, over all visits.
/// A state may appear only minutes after the start-up probe.
class state_classes {
 public:
  explicit state_classes(const results_file& file);

  /// The class of an estimate of a point with so many lanes; 0 is the fastest. An estimate without
  /// a pair probe keeps the class that its visit gave it.
  [[nodiscard]] unsigned of(const estimate_record& estimate, unsigned lanes) const;

 private:
  std::map<unsigned, std::vector<double>> bounds_ns_;  // by lanes
};

/// A placement state: its class by hop within a file (0 is the nearest), and whether a quiet probe
/// was slow.
struct state_key {
  unsigned state_class = 0;
  bool busy = false;
  auto operator<=>(const state_key&) const = default;
};

/// What one visit found in one state.
struct visit_estimate : estimate_record {
  std::size_t visit = 0;  ///< index into the point's visits
  [[nodiscard]] bool is_solid() const { return rounds >= enough_rounds; }
};

/// Those with enough rounds; all where none has.
[[nodiscard]] std::vector<visit_estimate>
solid_visits(const std::vector<visit_estimate>& estimates);

[[nodiscard]] std::size_t rounds_in(const std::vector<visit_estimate>& estimates);

using visits_of_point = std::vector<const visit_record*>;
using point_states = std::map<state_key, std::vector<visit_estimate>>;
[[nodiscard]] point_states states_of(const visits_of_point& visits, unsigned lanes,
                                     const state_classes& classes);

/// Chooses the state that the table shows first, so that it does not change with how often a state
/// came: quiet before busy, then the nearest placement, among the states that three visits met with
/// enough rounds. Points of one family on the same PUs show the same placement where they can: the
/// nearest that half of them met.
class headline_rule {
 public:
  void add(const std::string& family, const std::vector<int>& pus, const point_states& states);

  /// Of a point that was added; `states` holds at least one.
  [[nodiscard]] state_key of(const std::string& family, const std::vector<int>& pus,
                             const point_states& states) const;
  /// Visits with enough quiet rounds, in the placement of its family.
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
