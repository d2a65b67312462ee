// What a study of pairs of PUs ends with: a matrix for each op, ordered by topology, a line for
// each class of pairs, and how far the two ways round of a pair agree.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cli/results.hpp"
#include "core/pu_pairs.hpp"

namespace syncmeter {

/// Points that differ in nothing but their pair of PUs.
struct pair_matrix {
  point what;                                                 ///< without PUs
  std::vector<processing_unit> units;                         ///< in topology order
  std::map<std::pair<int, int>, const point_summary*> cells;  ///< by the PUs of lane 0 and lane 1
};

/// One for each such group of two points or more with two lanes on named PUs, in the order of a
/// table's rows. Only of a file that tells where its PUs sit. Points into `points`.
[[nodiscard]] std::vector<pair_matrix> pair_matrices(const results_file& file,
                                                     const std::vector<point_summary>& points);

/// The points that are in none of them.
[[nodiscard]] std::vector<point_summary> outside(const std::vector<pair_matrix>& matrices,
                                                 const std::vector<point_summary>& points);

/// Costs of one class of pairs, both ways round, in ns.
struct class_costs {
  pair_class which;
  std::size_t pairs = 0, measured = 0;  ///< of the machine; with a cost, at least one way round
  double median_ns = 0, least_ns = 0, most_ns = 0;
  double hop_ns = 0;  ///< median of the pair probe; 0 without one
};
/// The classes that the machine has, the closest first.
[[nodiscard]] std::vector<class_costs> costs_by_class(const pair_matrix& matrix);

/// a to b against b to a.
struct both_ways {
  std::size_t compared = 0, agree = 0;  ///< agree: the intervals overlap
  std::size_t other_state = 0;  ///< not compared: the two were seen in different placement states
  double median_share = 0, most_share = 0;  ///< difference over the mean of the two
  std::pair<int, int> farthest{-1, -1};     ///< the pair of most_share
};
[[nodiscard]] both_ways compare_both_ways(const pair_matrix& matrix);

/// The machine itself, pass by pass: the least and the most, over visit numbers, of the median over
/// all pairs of the visits with that number, in ns. {0, 0} with fewer than two passes.
[[nodiscard]] std::pair<double, double> drift_of(const results_file& file,
                                                 const pair_matrix& matrix);

/// The matrices, with what is to be said of them; empty when there is none. `coloured`: a heat map
/// by ANSI colours, on a logarithmic scale from the least cost to the most.
[[nodiscard]] std::string pair_matrix_text(const results_file& file,
                                           const std::vector<pair_matrix>& matrices, bool coloured);

}  // namespace syncmeter
