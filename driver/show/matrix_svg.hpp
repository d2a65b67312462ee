// The costs between pairs of PUs as a heat map in an SVG that stands alone: no font, script or file
// beside it.
#pragma once

#include <string>
#include <vector>

#include "driver/results/results.hpp"

namespace syncmeter {

/// A map for each op among `points`, its PUs in the order of the topology and all of one scale of
/// colours; every field tells its cost where the pointer is. Light and dark by the reader's
/// setting, always light on paper. Throws usage_error where no op has two pairs of PUs.
[[nodiscard]] std::string matrix_svg(const results_file& file,
                                     const std::vector<point_summary>& points);

}  // namespace syncmeter
