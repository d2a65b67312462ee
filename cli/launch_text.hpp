// What the boundary of a kernel costs, and of what it is made: the launches of a results file.
#pragma once

#include <string>
#include <vector>

#include "cli/results.hpp"

namespace syncmeter {

/// How the cost of a graph of n kernels grows with n: ns = first + each * (n - 1).
struct graph_costs {
  double first_ns = 0;  ///< of a graph of one kernel
  double each_ns = 0;   ///< of every further kernel: median over all pairs of sizes
};

/// From the sizes and costs of graphs on one device; both spans have the same length. All 0 with
/// fewer than two different sizes.
[[nodiscard]] graph_costs graph_costs_of(const std::vector<unsigned>& sizes,
                                         const std::vector<double>& costs_ns);

/// A table of the boundary's parts in ns, a column for each kernel that was launched, and what
/// follows in a line each. Empty where fewer than two ops that launch on a GPU have a cost.
[[nodiscard]] std::string launch_text(const std::vector<point_summary>& points);

}  // namespace syncmeter
