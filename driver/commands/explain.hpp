// Everything known about one point, on a page.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "driver/census/isa/loop_code.hpp"
#include "driver/results/estimate.hpp"

namespace syncmeter {

/// Returns the points that match `words`: each word is a value on an axis ("atomic_add", "shared",
/// "2"), or names the axis ("lanes=2").
[[nodiscard]] std::vector<point_summary> points_that_fit(const std::vector<point_summary>& points,
                                                         const std::string& words);

/// The code of a point's loops if the measured worker is here, else why not.
struct loops_of_point {
  std::array<std::vector<loop_line>, 2> lines;  ///< baseline, test
  std::string missing;
};

/// Returns the page, in `width` characters. `visits` are the point's visits, in order.
[[nodiscard]] std::string explain_text(const point_summary& s,
                                       const std::vector<const visit_record*>& visits,
                                       const loops_of_point& loops, std::size_t width);

struct repeated_code {
  std::size_t times = 1;
  std::vector<std::string> lines;
  friend bool operator==(const repeated_code&, const repeated_code&) = default;
};

/// Returns the same instructions in the same order, with an immediately repeated piece only once.
/// Prefers the fold that leaves out most, then the shortest piece.
[[nodiscard]] std::vector<repeated_code> folded(std::span<const std::string> lines);

}  // namespace syncmeter
