// A machine as nested boxes: what an SVG of it draws, and where.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/machine/topology.hpp"

namespace syncmeter {

/// What a box stands for, as far as a drawing tells it apart.
enum class box_kind : std::uint8_t { machine, package, memory, cache, core, group, pu };

/// One hwloc object. Lengths are in user units of an SVG (CSS pixels); x and y are those of its
/// upper left corner in the drawing.
struct box {
  box_kind kind = box_kind::machine;
  std::string label;  ///< "L3 L#0 32 MiB"
  int pu = -1;        ///< the OS number, of a PU
  double x = 0, y = 0, width = 0, height = 0;
  std::vector<box> inside;
};

inline constexpr double header_height = 17;  ///< of a label above what is inside

/// The whole machine, its upper left corner at (0, 0). Siblings are in hwloc's order; the PUs of a
/// core stand side by side; other siblings in rows, so that the drawing comes near to a screen's
/// shape.
[[nodiscard]] box lay_out(const topology& machine);

/// How wide a label of the drawing's font is at most.
[[nodiscard]] double text_width(const std::string& text);

}  // namespace syncmeter
