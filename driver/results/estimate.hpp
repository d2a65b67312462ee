// From the visits of each point to its one estimate: the median over visits with its interval, in
// the placement state that the table shows first.
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
