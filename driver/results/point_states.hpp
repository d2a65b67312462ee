// What the visits of a point found in each placement state, and which state its row shows.
#pragma once

#include <compare>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/harness/stats.hpp"
#include "driver/results/state_classes.hpp"

namespace syncmeter {

/// Fewer rounds than this in a visit say too little to choose a state by.
inline constexpr std::size_t enough_rounds = 5;

/// A placement state: its class by hop within a file (0 is the nearest), and whether a quiet probe
/// was slow.
struct state_key {
  unsigned state_class = 0;
  bool busy = false;
  auto operator<=>(const state_key&) const = default;
};

/// What one visit says of one state.
struct visit_estimate {
  std::size_t visit = 0;  ///< index into the point's visits
  std::size_t rounds = 0;
  interval cost_ns, host_cost_ns, cost_cycles;
  double baseline_ns = 0, test_ns = 0;
  double hop_ns = 0;  ///< 0 without pair probe
};

/// So many visits make an interval; a point with fewer needs all of them.
inline constexpr std::size_t enough_visits = 3;

using point_states = std::map<state_key, std::vector<visit_estimate>>;

/// Throws nlohmann::json::exception where a visit's estimates are of other kinds.
[[nodiscard]] point_states states_of(const std::vector<const nlohmann::json*>& visits,
                                     unsigned lanes, const state_classes& classes);

[[nodiscard]] std::size_t rounds_in(const std::vector<visit_estimate>& estimates);
/// Those with enough rounds; all where none has.
[[nodiscard]] std::vector<visit_estimate>
solid_visits(const std::vector<visit_estimate>& estimates);

/// Chooses the state that the table shows first, so that it does not change with how often a state
/// came: quiet before busy, then the nearest placement, among the states that three visits saw with
/// enough rounds. Points of one family on the same PUs show the same placement where they can: the
/// nearest that half of them saw.
class headline_rule {
 public:
  void add(const std::string& family, const std::vector<int>& pus, const point_states& seen);

  /// Of a point that was added; `seen` holds at least one state.
  [[nodiscard]] state_key of(const std::string& family, const std::vector<int>& pus,
                             const point_states& seen) const;
  /// Visits with enough quiet rounds, in the placement of its family.
  [[nodiscard]] std::size_t quiet_visits(const std::string& family, const std::vector<int>& pus,
                                         const point_states& seen) const;

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
