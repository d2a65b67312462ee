// How many trips a sample needs so that the clock can resolve it, and the warm-up with them.
#pragma once

#include <cstdint>
#include <optional>

#include "core/harness/timed_bench.hpp"

namespace syncmeter {

/// A sample of one trip that lasted longer than longest_trip_ns().
struct slow_trip {
  double span_ns = 0;
  drop disturbed = drop::none;  ///< what may have made it so long
};

struct calibration {
  std::uint32_t trips = 1;
  std::optional<slow_trip> too_slow;
};

/// A trip that lasts longer is too slow to be measured: the visit's whole time, or 50 ms where a
/// visit has less, so that a point does not become too slow by being one of many.
[[nodiscard]] double longest_trip_ns(const visit_options& options);

/// What the longer side of a round has to last: min_sample_ns, or 2000 clock ticks if that is more.
[[nodiscard]] double sample_goal_ns(const visit_options& options);

/// Finds the trips with which the longer of the two sides reaches the goal, and leaves every side
/// that will be measured warmed up with them. Starts at options.trips when given, else at one trip.
/// Throws what the bench throws, and point_failed when no number of trips takes any time.
[[nodiscard]] calibration calibrate(timed_bench& subject, const visit_options& options);

}  // namespace syncmeter
