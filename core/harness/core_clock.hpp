// The clock that a CPU core really runs at: from a chain of adds that each wait for the one before,
// which every core in use does at one add per cycle, whatever its sibling does.
#pragma once

#include <array>
#include <cstddef>

namespace syncmeter {

/// Runs two chains of dependent adds, one longer than the other, about 1.6 us at 4 GHz. Returns the
/// clock in GHz from what the longer one took more, so that reading the time costs nothing; 0 where
/// that was nothing.
[[nodiscard]] double read_core_clock_ghz();

/// The clock over the last readings: one that was interrupted, or that the steps of the time made
/// too long or too short, does not count.
class core_clock {
 public:
  /// Takes a reading in; one that is not above 0 is none.
  void add(double ghz);
  void clear() { readings_ = 0; }
  /// The mean of the middle half of the last readings, in GHz; 0 before any.
  [[nodiscard]] double ghz() const;

 private:
  static constexpr std::size_t kept = 8;  // two rounds
  std::array<double, kept> last_{};
  std::size_t readings_ = 0;
};

}  // namespace syncmeter
