// From the visits of each point to its one estimate: which placement states they met, which of them
// the table shows first, and the median over visits with its interval; and what an op is, for
// tables and rates: visits report it of their op; for those that do not, the driver knows the
// shared ops.
#pragma once

#include <compare>
#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/harness/stats.hpp"
#include "driver/results/results.hpp"

namespace syncmeter {

struct op_facts {
  std::string family = "other";
  /// Place among the shared ops in tables; an op that is none of them comes after them.
  std::size_t rank = std::numeric_limits<std::size_t>::max();
  bool inserted = false;       ///< a marginal cost between two accesses, never the op's own
  bool cost_per_lane = false;  ///< one op passes from lane to lane: they do not work side by side
  bool joint = false;          ///< all lanes do one op together (a barrier, a launch)
  bool host_lane = false;      ///< one thread of the host does it, whatever it starts
  /// GPU: "cooperative", "cluster" or empty: whose lanes do a joint op together.
  std::string launching{};
  unsigned participants = 0;  ///< what a cost per lane was divided by; 0: the visit does not say
  unsigned devices = 1;       ///< that do it at a time
};

/// Of a shared op. One of a third party's worker is not among them and gets the plain treatment.
[[nodiscard]] op_facts facts_of(std::string_view op);

/// Of an op whose worker says what it is.
[[nodiscard]] op_facts facts_of(std::string_view op, std::string_view family, bool inserted,
                                bool cost_per_lane);

/// Place of a family in tables.
[[nodiscard]] std::size_t family_rank(std::string_view family);

/// One point's estimate over its visits, as the tables show it: what its line has, and the figures
/// of one of its states, the headline. `point` and `states` are filled when the line is written.
struct point_summary : objects::states, point_record {
  using objects::states::reason;
  using objects::states::status;
  using objects::states::visits;
  syncmeter::point what;
  std::string measured_as;  ///< canonical text of the point that was measured in its place; or
                            ///< empty
  std::string state_text;   ///< "" when there is one state only, "quiet (98 %)" when it was busy at
                            ///< times, "state 0, quiet (63 %)" when there are several classes
  bool headline = true;     ///< false: one of the other_states of a point
  bool visited = false;     ///< a visit stands behind it, be it one without an estimate
  std::vector<point_summary> other_states;  ///< the same point in each other state that it was
                                            ///< measured in, nearest first
};

/// What a point's op is: what its visits say, else what is known of the shared ops.
[[nodiscard]] op_facts facts_of(const point_summary& s);

/// One summary per point, in order of first appearance, `same` and `refused` points included.
[[nodiscard]] std::vector<point_summary> summarize(const results_file& file);

/// How many visits with enough quiet rounds, in the placement of its family, each point of CPU
/// lanes has, by canonical text.
[[nodiscard]] std::map<std::string, std::size_t> quiet_visits(const results_file& file);

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
};

using point_states = std::map<state_key, std::vector<visit_estimate>>;
[[nodiscard]] point_states states_of(const std::vector<const visit_record*>& visits, unsigned lanes,
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

/// Cost per op in ns of each round that a visit keeps; empty where it keeps none. `workers_of_op`
/// divides a cost that passes from lane to lane: how many take part.
[[nodiscard]] std::vector<double> round_costs_ns(const visit_record& visit, unsigned workers_of_op);

/// What a GPU's point gets where its visits agree: the exact order-statistic interval of the median
/// cost in ns over the raw rounds of all visits as one sample, and no narrower than their medians
/// are apart. Nothing where the visits do not agree (their own intervals have no point in common),
/// where one of them holds no raw rounds, or where there is one only.
[[nodiscard]] std::optional<interval> pooled_interval(std::span<const visit_record* const> visits,
                                                      unsigned workers_of_op);

}  // namespace syncmeter
