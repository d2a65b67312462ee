// One cost over another, visit by visit: what a machine's drift cancels in.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <unordered_map>

#include "cli/results.hpp"
#include "cli/visit_costs.hpp"

namespace syncmeter {

/// What the visits of one point found, by the visit's number.
using costs_by_visit = std::map<unsigned, costs_by_state>;
/// By the text of the point that was measured.
using measured_costs = std::unordered_map<std::string, costs_by_visit>;

[[nodiscard]] measured_costs costs_by_point(const results_file& file, const state_classes& classes);

/// The point whose visits a summary is made of: its own, or the one measured in its place.
[[nodiscard]] std::string measured_name(const point_summary& s);

/// Median over the visits that both have, with their interval on logarithms, so that A over B
/// and B over A say the same; infinite bounds where one visit is all.
struct visit_ratio {
  interval ratio;
  std::size_t visits = 0;  ///< that it is made of; 0 where there is none
};

/// a over b, each visit in a placement state that both saw. Across caches an op costs several times
/// what it does on one core, and where each side happened to lie is no difference between them. Of
/// several states the one that both saw most of; quiet against busy only where there is nothing
/// better.
[[nodiscard]] visit_ratio ratio_in_one_state(const costs_by_visit& a, const costs_by_visit& b);

/// a over b, each visit in the state that each was mostly in: for points on other PUs, or on
/// another number of them, whose states are not the same ones.
[[nodiscard]] visit_ratio ratio_of_likeliest(const costs_by_visit& a, const costs_by_visit& b);

/// The same of two summaries, by one of the two above; none where a side has no cost, or where both
/// are one measurement.
[[nodiscard]] visit_ratio
ratio_of(const measured_costs& costs, const point_summary& a, const point_summary& b,
         visit_ratio (*compare)(const costs_by_visit&, const costs_by_visit&));

/// One over it: what it says of throughput.
[[nodiscard]] visit_ratio inverse(const visit_ratio& r);
[[nodiscard]] visit_ratio times(double factor, const visit_ratio& r);

/// "3.41" or "0.0391"; empty without a ratio.
[[nodiscard]] std::string ratio_text(const visit_ratio& r);
/// "3.30..3.52"; empty where one visit is all.
[[nodiscard]] std::string bounds_text(const visit_ratio& r);
/// "3.41 (3.30..3.52)" or, without an interval, "3.41 (one visit)"; "unknown" without a ratio.
[[nodiscard]] std::string ratio_with_bounds(const visit_ratio& r);

}  // namespace syncmeter
