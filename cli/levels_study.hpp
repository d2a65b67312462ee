// The study `levels`: what it costs to synchronize the lanes of a warp, a block, a cluster, a grid,
// and the end of a kernel.
#pragma once

#include <string>
#include <vector>

#include "cli/results.hpp"
#include "cli/studies.hpp"

namespace syncmeter {

[[nodiscard]] study levels_study();

/// What follows from its points: the levels on one axis, the grid's barriers by launch, barriers in
/// software against the grid's own, chains of adds, and the same costs by the clocks of the GPU and
/// of the host. Empty for a file of another study.
[[nodiscard]] std::string levels_text(const results_file& file,
                                      const std::vector<point_summary>& points);

}  // namespace syncmeter
