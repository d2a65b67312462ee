// Which points a table has rows for, and what its cells say.
#pragma once

#include <string>
#include <vector>

#include "driver/results/estimate.hpp"

namespace syncmeter {

/// One row: the point, the affinities that it stands for, and what was measured in its place where
/// that is another op, type or order.
struct table_row {
  const point_summary* shown;
  std::string affinities, stands_in;
};

/// By backend, family and op as the ops are listed, then by every axis. A point that another's
/// measurement stands for has a row of its own where its op, type or order is another.
[[nodiscard]] std::vector<table_row> rows_of(const std::vector<point_summary>& points);
/// Leaves of points that differ in their pair of PUs alone the first so many: 8 PUs, both ways
/// round. What the others are together is a matrix, which the report has. How many were left out.
std::size_t keep_some_pairs(std::vector<table_row>& rows);
/// The other placements that three visits saw: one row each, quiet where that was seen as well.
[[nodiscard]] std::vector<const point_summary*> other_placements(const point_summary& s);

[[nodiscard]] std::string cost_text(const point_summary& s);
[[nodiscard]] std::string interval_text(const interval& cost_ns);
[[nodiscard]] std::string remarks(const table_row& row);

}  // namespace syncmeter
