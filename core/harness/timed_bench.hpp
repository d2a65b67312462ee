// A bench whose samples and probes are timed and checked on the way through, so that nothing
// measured with it can forget to.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>

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
  [[nodiscard]] std::optional<double> pair_probe();
  [[nodiscard]] std::int64_t now_ns() { return subject_.now_ns(); }

  /// Host time inside samples, and time inside probes, so far.
  [[nodiscard]] double timed_ns() const { return timed_ns_; }

 private:
  bench& subject_;
  double timed_ns_ = 0;
};

}  // namespace syncmeter
