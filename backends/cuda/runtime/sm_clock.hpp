// The real clock of a multiprocessor, sample by sample: cycles divided by the device's own timer.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "core/harness/stats.hpp"

namespace syncmeter::cuda {

/// Returns the total launch time for a clock within 1 %. The timer steps by 32 ns on recent GPUs,
/// at both ends of a launch (a triangular error, four deviations). The error of several launches
/// grows with the square root of their number.
[[nodiscard]] inline double shortest_clocked_ns(std::size_t launches) {
  return 5.2e3 * std::sqrt(static_cast<double>(launches));
}

/// Recognizes throttled samples by the fastest clock so far, or by the device's own maximum if
/// readings exceed it. A lasting slower clock is the sustained clock of this machine.
class sm_clock {
 public:
  /// After this number of throttled samples in a row, a good part of a second, the slow clock
  /// becomes the normal clock.
  static constexpr unsigned lasting = 2000;

  /// `highest_ghz`: 0 if the device does not report it.
  explicit sm_clock(double highest_ghz)
      : highest_(highest_ghz > 0 ? highest_ghz : std::numeric_limits<double>::infinity()) {}

  /// Adds a sample's clock. Returns true if the clock is 3 % or more below the clock reached by two
  /// samples in a row. A single high reading makes no later sample look throttled.
  bool is_throttled(double ghz) {
    fastest_ = std::max(fastest_, std::min({ghz, last_, highest_}));
    last_ = ghz;
    slow_in_a_row_ = ghz < 0.97 * fastest_ ? slow_in_a_row_ + 1 : 0;
    if (slow_in_a_row_ < lasting) return slow_in_a_row_ > 0;
    fastest_ = ghz;
    slow_in_a_row_ = 0;
    return false;
  }
  /// Returns the last clock in GHz, or 1 before any reading.
  [[nodiscard]] double last_ghz() const { return last_ > 0 ? last_ : 1; }

 private:
  double highest_, fastest_ = 0, last_ = 0;
  unsigned slow_in_a_row_ = 0;
};

/// The clocks on each device in a point, sample by sample.
class device_clocks {
 public:
  void clear() { of_device_.clear(); }
  void add(std::size_t device, double ghz) {
    if (of_device_.size() <= device) of_device_.resize(device + 1);
    of_device_[device].push_back(ghz);
  }
  /// Returns each device's median, or 0 if all its samples were too short.
  [[nodiscard]] std::vector<double> medians() const {
    std::vector<double> all;
    for (const std::vector<double>& ghz : of_device_)
      all.push_back(ghz.empty() ? 0.0 : median(ghz));
    return all;
  }

 private:
  std::vector<std::vector<double>> of_device_;
};

}  // namespace syncmeter::cuda
