// The table of a point's axes: its text, its JSON and what reads them go through these rows.
#pragma once

#include <tuple>

#include "core/point.hpp"

namespace syncmeter {

/// When a row is written: always, when its value is not the default one, or (a stride, which has a
/// meaning between strided cells only; a stray one is kept visible) also where cells are strided.
enum class written { always, unless_default, if_strided };

template <class T> struct axis_row {
  const char* name;  ///< in results files and in canonical texts
  T point::* field;
  enum written written = written::unless_default;
  unsigned least = 0;  ///< of a number
};
template <class T, class... Rest> axis_row(const char*, T point::*, Rest...) -> axis_row<T>;

/// In the order of canonical texts.
inline constexpr std::tuple point_axes{
    axis_row{"backend", &point::backend, written::always},
    axis_row{"op", &point::op, written::always},
    axis_row{"type", &point::type},
    axis_row{"placement", &point::placement},
    axis_row{"stride", &point::stride, written::if_strided},
    axis_row{"base_offset", &point::base_offset},
    axis_row{"cells", &point::cells},
    axis_row{"lanes", &point::lanes, written::always, 1},
    axis_row{"blocks", &point::blocks, written::unless_default, 1},
    axis_row{"active", &point::active},
    axis_row{"waves", &point::waves},
    axis_row{"size", &point::size},
    axis_row{"scope", &point::scope},
    axis_row{"flavour", &point::flavour},
    axis_row{"space", &point::space},
    axis_row{"order", &point::order, written::always},
    axis_row{"affinity", &point::affinity, written::always},
    axis_row{"wait", &point::wait, written::always},
    axis_row{"home", &point::home},
    axis_row{"pus", &point::pus},
    axis_row{"late_us", &point::late_us},
    axis_row{"section_ns", &point::section_ns},
    axis_row{"think_ns", &point::think_ns},
    axis_row{"reads_per_write", &point::reads_per_write},
    axis_row{"repeat", &point::repeat},
};

/// Calls `use` with each row.
template <class Use> constexpr void for_each_axis(Use use) {
  std::apply([&use](const auto&... row) { (use(row), ...); }, point_axes);
}

}  // namespace syncmeter
