// The maximum of an array in every form that the backends have, over its size.
#pragma once

#include <string>
#include <vector>

#include "cli/results.hpp"
#include "cli/studies.hpp"

namespace syncmeter {

[[nodiscard]] study reductions_study();

/// What one reduction took, for each size: us, ns per element, GB/s, and on a GPU the share of the
/// reads measured in the same run; and which form wins. Empty when the file is of another study.
[[nodiscard]] std::string reductions_text(const results_file& file,
                                          const std::vector<point_summary>& points);

}  // namespace syncmeter
