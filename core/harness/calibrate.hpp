// The beginning of a visit: a bench whose samples and probes are timed and checked on the way
// through, so that nothing measured with it can forget to; how many trips a sample needs so that
// the clock can resolve it, and the warm-up with them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "core/harness/harness.hpp"

namespace syncmeter {

/// A sample that is wrong: the point failed, and the text says how.
struct point_failed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Hands samples and probes of a bench through and adds up the time spent inside them.
class timed_bench {
 public:
  explicit timed_bench(bench& subject) : subject_(subject) {}

  /// One sample. Throws point_failed with the sample's own text when it is wrong, or when a time in
  /// it cannot be one; whatever the bench throws goes through.
  [[nodiscard]] sample take(std::size_t index, std::uint32_t trips);
  [[nodiscard]] std::uint32_t trips_in_step() const { return subject_.trips_in_step(); }
  void begin_round() { subject_.begin_round(); }
  void expect(std::span<const std::vector<std::size_t>> rounds, std::uint32_t trips) {
    subject_.expect(rounds, trips);
  }
  [[nodiscard]] std::optional<double> pair_probe();
  [[nodiscard]] std::int64_t now_ns() { return subject_.now_ns(); }

  /// Host time inside samples, and time inside probes, so far.
  [[nodiscard]] double timed_ns() const { return timed_ns_; }

 private:
  bench& subject_;
  double timed_ns_ = 0;
};

/// A sample of one trip that lasted longer than longest_trip_ns().
struct slow_trip {
  double span_ns = 0;
  drop disturbed = drop::none;  ///< what may have made it so long
};

struct calibration {
  std::uint32_t trips = 1;
  double span_ns = 0;  ///< of the longer side with them
  std::optional<slow_trip> too_slow{};
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
