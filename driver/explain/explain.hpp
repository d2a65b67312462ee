// Everything that is known of one point, on a page.
#pragma once

#include <array>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "driver/census/isa/loop_code.hpp"
#include "driver/results/estimate.hpp"

namespace syncmeter {

/// The points of a file that `words` fit: each word is a value of one of its axes ("atomic_add",
/// "shared", "2"), or names the axis ("lanes=2").
[[nodiscard]] std::vector<point_summary> points_that_fit(const std::vector<point_summary>& points,
                                                         const std::string& words);

/// Of a point's loops: the code of both, where the worker that was measured is here; else why not.
struct loops_of_point {
  std::array<std::vector<loop_line>, 2> lines;  ///< baseline, test
  std::string missing;
};

/// The page, in `width` characters. `visits` are those of the point, in their order.
[[nodiscard]] std::string explain_text(const point_summary& s,
                                       const std::vector<const visit_record*>& visits,
                                       const loops_of_point& loops, std::size_t width);

}  // namespace syncmeter
