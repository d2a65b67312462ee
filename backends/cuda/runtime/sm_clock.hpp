// The clock that a multiprocessor really runs at, sample by sample: cycles over the device's own
// timer.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "core/harness/stats.hpp"

namespace syncmeter::cuda {

/// Launches that last this long in all give the clock to 1 %. The timer steps by 32 ns on recent
/// GPUs, at both ends of a launch (a triangular error, four deviations of it); launches that are
/// added up err by the root of their number.
[[nodiscard]] inline double shortest_clocked_ns(std::size_t launches) {
  return 5.2e3 * std::sqrt(static_cast<double>(launches));
}

/// Recognizes a throttled sample by the fastest clock so far, or by the device's own highest where
/// readings are above that. A slower clock that lasts is the one that this machine can hold.
class sm_clock {
 public:
  /// So many throttled samples in a row, a good part of a second, and they are so no longer.
  static constexpr unsigned lasting = 2000;

  /// 0 where the device does not tell.
  explicit sm_clock(double highest_ghz)
      : highest_(highest_ghz > 0 ? highest_ghz : std::numeric_limits<double>::infinity()) {}

  /// Takes a sample's clock in; true when it is 3 % or more below what two samples in a row
  /// reached. One reading that is too high makes no later sample look throttled.
  bool is_throttled(double ghz) {
    fastest_ = std::max(fastest_, std::min({ghz, last_, highest_}));
    last_ = ghz;
    slow_in_a_row_ = ghz < 0.97 * fastest_ ? slow_in_a_row_ + 1 : 0;
    if (slow_in_a_row_ < lasting) return slow_in_a_row_ > 0;
    fastest_ = ghz;
    slow_in_a_row_ = 0;
    return false;
  }
  /// The last clock, in GHz; 1 before any.
  [[nodiscard]] double last_ghz() const { return last_ > 0 ? last_ : 1; }

 private:
  double highest_, fastest_ = 0, last_ = 0;
  unsigned slow_in_a_row_ = 0;
};

/// The clocks that each device of a point ran at, sample by sample.
class device_clocks {
 public:
  void clear() { of_device_.clear(); }
  void add(std::size_t device, double ghz) {
    if (of_device_.size() <= device) of_device_.resize(device + 1);
    of_device_[device].push_back(ghz);
  }
  /// The median of each device; 0 for one whose samples were all too short to tell.
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
