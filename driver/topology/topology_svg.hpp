// A machine with the lanes of a placement on it, as an SVG that stands alone: no font, script or
// file beside it.
#pragma once

#include <span>
#include <string>

#include "core/machine/topology.hpp"

namespace syncmeter {

/// What the drawing says above the machine, and which PU each lane is on (-1: not bound).
struct placed_lanes {
  std::string title;      ///< the machine
  std::string placement;  ///< the policy and the number of lanes, in words
  std::span<const int> pus;
};

/// Light and dark by the reader's setting, always light on paper. Lanes, free PUs and those that
/// may not be used differ in lightness, words and hatching, never in hue alone.
[[nodiscard]] std::string topology_svg(const topology& machine, const placed_lanes& lanes);

}  // namespace syncmeter
