// Axes as tables show them, from record/axes.def.
#pragma once

#include <array>
#include <concepts>
#include <string>
#include <string_view>

#include "core/point.hpp"

namespace syncmeter {

/// When a table of points has a text for an axis.
enum class cell_shown { always, if_any, if_strided, never };

/// A place in the table on a page. The table itself has code for each axis in the group `own`.
enum class axis_group { own, operation, team, waiting, work };

struct axis_column {
  std::string_view name, unit;
  cell_shown shown;
  unsigned column;  ///< the place in CSV
  unsigned rank;    ///< the place among the sort keys
  axis_group group;
  const char* title;  ///< on a page
  bool is_number;
  int (*compare)(const point&, const point&);  ///< below 0, 0 or above 0
};

inline constexpr std::array axis_columns{
#define SM_AXIS(name, type, absent, least, written, cell, unit, column, rank, group, title, ...)   \
  axis_column{                                                                                     \
      #name,                                                                                       \
      unit,                                                                                        \
      cell_shown::cell,                                                                            \
      column,                                                                                      \
      rank,                                                                                        \
      axis_group::group,                                                                           \
      title,                                                                                       \
      std::same_as<decltype(point::name), unsigned>,                                               \
      [](const point& a, const point& b) { return (b.name < a.name) - (a.name < b.name); }},
#include "record/axes.def"
};

/// Returns the value as text, or "" if a default point has the same value.
[[nodiscard]] std::string text_unless_usual(const point& p, std::string_view axis);

}  // namespace syncmeter
