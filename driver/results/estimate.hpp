// Combines the visits to each point into an estimate: the median over visits with its interval, in
// the placement state that tables show first.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/harness/stats.hpp"
#include "driver/results/op_facts.hpp"
#include "driver/results/results.hpp"

namespace syncmeter {

/// One point's estimate over its visits for the tables: its line's members, and the figures in its
/// headline state. `point` and `states` are filled when the line is written.
struct point_summary : objects::states, point_record {
  using objects::states::reason;
  using objects::states::status;
  using objects::states::visits;
  syncmeter::point what;
  std::string measured_as;  ///< canonical text of the point measured instead, or empty
  std::string state_text;   ///< "" for a single state, "quiet (98 %)" if sometimes busy, "state 0,
                            ///< quiet (63 %)" for several classes
  bool headline = true;     ///< false: an element of other_states
  bool visited = false;     ///< based on a visit, even without an estimate
  std::vector<point_summary> other_states;  ///< the same point in every other measured state,
                                            ///< nearest first
};

/// Returns the facts about a point's op from its visits, else from the shared ops.
[[nodiscard]] op_facts facts_of(const point_summary& s);

/// Returns one summary per point, in order of first appearance, including `same` and `refused`
/// points.
[[nodiscard]] std::vector<point_summary> summarize(const results_file& file);

/// Returns how many visits with enough quiet rounds, in its family's placement, each point on CPU
/// lanes has, by canonical text.
[[nodiscard]] std::map<std::string, std::size_t> quiet_visits(const results_file& file);

/// Returns the cost per op in ns for each round that a visit keeps, or an empty list.
/// `workers_of_op`, the number of participants, divides a cost that passes from lane to lane.
[[nodiscard]] std::vector<double> round_costs_ns(const visit_record& visit, unsigned workers_of_op);

/// Returns an interval for a GPU's point if its visits agree. It is the exact order-statistic
/// interval of the median cost in ns over all visits' raw rounds. It is at least as wide as the
/// visits' medians are apart. Returns nothing for a single visit, if visits' own intervals have no
/// common point, or if a visit has no raw rounds.
[[nodiscard]] std::optional<interval> pooled_interval(std::span<const visit_record* const> visits,
                                                      unsigned workers_of_op);

}  // namespace syncmeter
