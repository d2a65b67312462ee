// The lines of points with which a campaign's file ends: each point's estimate in every state, so
// that whoever reads the file need not estimate again (docs/results-file.md).
#pragma once

#include <vector>

#include <nlohmann/json.hpp>

#include "driver/results/results.hpp"

namespace syncmeter {

/// A line for each point of the file that was visited, in order of first appearance. Points of
/// `same` and `refused` lines have none: readers apply those themselves.
[[nodiscard]] std::vector<nlohmann::json> point_lines(const results_file& file);

/// Whether the file ends with a line for every point that was visited.
[[nodiscard]] bool has_all_point_lines(const results_file& file);

}  // namespace syncmeter
