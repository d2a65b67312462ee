// See calibrate.hpp. An outlier is one-sided: a sample lasts too long, never too short. So one long
// sample is never believed on its own, here: it would leave every round of the visit too short.
#include "core/harness/calibrate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace syncmeter {

namespace {

constexpr std::uint32_t most_trips = std::numeric_limits<std::uint32_t>::max();
constexpr std::array<std::size_t, 2> both_sides{1, 0};  // the test side first: usually the longer

bool is_duration(double ns) { return std::isfinite(ns) && ns >= 0; }

// A sample that says itself that it was disturbed is taken again, but not for ever: its length
// still tells the order of magnitude.
sample sample_of(timed_bench& subject, std::size_t index, std::uint32_t trips) {
  constexpr int attempts = 3;
  sample taken;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    taken = subject.take(index, trips);
    if (taken.dropped == drop::none) break;
  }
  return taken;
}
double span_of(timed_bench& subject, std::size_t index, std::uint32_t trips) {
  return sample_of(subject, index, trips).span_ns;
}

double longer_side_ns(timed_bench& subject, std::uint32_t trips) {
  double longest = 0;
  for (const std::size_t index : both_sides)
    longest = std::max(longest, span_of(subject, index, trips));
  return longest;
}

// The first look at the point, one trip of each side. A stop of the whole process can last longer
// than the limit too, so the finding is confirmed, unless it is beyond what a stop explains.
std::optional<slow_trip> too_slow(timed_bench& subject, double limit_ns) {
  constexpr double beyond_doubt = 10;
  for (const std::size_t index : both_sides) {
    sample taken = sample_of(subject, index, 1);
    if (taken.span_ns > limit_ns && taken.span_ns <= beyond_doubt * limit_ns) {
      const sample again = sample_of(subject, index, 1);
      if (again.span_ns < taken.span_ns) taken = again;
    }
    if (taken.span_ns > limit_ns)
      return slow_trip{.span_ns = taken.span_ns, .disturbed = taken.dropped};
  }
  return std::nullopt;
}

// Up by what is missing and a fifth, so that the goal is not missed by a hair again and again;
// never more than tenfold, since a short sample is mostly overhead and says little about a long
// one.
std::uint32_t more_trips(std::uint32_t trips, double span_ns, double goal_ns) {
  const double factor = span_ns > 0 ? std::clamp(1.2 * goal_ns / span_ns, 1.2, 10.0) : 10.0;
  const double wanted = std::ceil(factor * trips);
  return wanted < static_cast<double>(most_trips) ? static_cast<std::uint32_t>(wanted) : most_trips;
}

std::uint32_t up_to_multiple(std::uint32_t trips, std::uint32_t step) {
  const std::uint32_t beyond = trips % step;
  return beyond == 0 || trips > most_trips - step ? trips : trips - beyond + step;
}

calibration trips_to_reach(timed_bench& subject, double goal_ns) {
  const std::uint32_t step = subject.trips_in_step();
  std::uint32_t trips = step;
  while (true) {
    double span_ns = longer_side_ns(subject, trips);
    // The confirmation warms both sides up as well: nothing is measured between it and round 1.
    if (span_ns >= goal_ns) span_ns = std::min(span_ns, longer_side_ns(subject, trips));
    if (span_ns >= goal_ns) return {.trips = trips, .span_ns = span_ns};
    if (trips == most_trips) {
      throw point_failed(fmt::format(
          "{} trips took {} ns: the loop is empty, or the clock does not advance", trips, span_ns));
    }
    trips = up_to_multiple(more_trips(trips, span_ns, goal_ns), step);
  }
}

// An earlier visit's trips are kept where they still fit, so that its samples and this one's
// compare.
bool still_fits(timed_bench& subject, std::uint32_t trips, double span_ns, double goal_ns) {
  const bool not_long = span_ns <= 3 * goal_ns || trips == subject.trips_in_step();
  return span_ns >= 0.5 * goal_ns && not_long;
}

}  // namespace

sample timed_bench::take(std::size_t index, std::uint32_t trips) {
  sample taken = subject_.take(index, trips);
  if (!taken.failure.empty()) throw point_failed(taken.failure);
  if (!is_duration(taken.span_ns) || !is_duration(taken.host_ns)) {
    throw point_failed(
        fmt::format("a sample of {} trips with {} measured operations took {} ns by its "
                    "own clock and {} ns by the host's: not a valid duration",
                    trips, counts.at(index), taken.span_ns, taken.host_ns));
  }
  timed_ns_ += taken.host_ns > 0 ? taken.host_ns : taken.span_ns;
  return taken;
}

std::optional<double> timed_bench::pair_probe() {
  const std::int64_t begin = subject_.now_ns();
  const auto hop_ns = subject_.pair_probe();
  if (hop_ns) timed_ns_ += static_cast<double>(subject_.now_ns() - begin);
  return hop_ns;
}

double sample_goal_ns(const visit_options& options) {
  constexpr double ticks_in_a_sample = 2000;  // a reading off by one tick at both ends is 0.1 %
  return std::max(options.min_sample_ns, ticks_in_a_sample * options.clock_tick_ns);
}

double longest_trip_ns(const visit_options& options) { return std::max(options.max_time_ns, 50e6); }

calibration calibrate(timed_bench& subject, const visit_options& options) {
  const double goal_ns = sample_goal_ns(options);
  calibration found{.trips = options.trips};
  if (found.trips != 0) found.span_ns = longer_side_ns(subject, found.trips);
  if (found.trips == 0 || !still_fits(subject, found.trips, found.span_ns, goal_ns)) {
    if (const auto trip = too_slow(subject, longest_trip_ns(options)))
      return {.trips = 1, .span_ns = trip->span_ns, .too_slow = trip};
    found = trips_to_reach(subject, goal_ns);
  }
  if (options.additivity) {
    for (const std::size_t index : {2U, 3U}) (void)span_of(subject, index, found.trips);
  }
  return found;
}

}  // namespace syncmeter
