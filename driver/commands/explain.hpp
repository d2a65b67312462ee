// Everything that is known of one point, on a page.
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

struct repeated_code {
  std::size_t times = 1;
  std::vector<std::string> lines;
  friend bool operator==(const repeated_code&, const repeated_code&) = default;
};

/// The same instructions in the same order, a piece that follows itself once: of several ways the
/// one that leaves out most, and of equals the shortest piece.
[[nodiscard]] std::vector<repeated_code> folded(std::span<const std::string> lines);

}  // namespace syncmeter
