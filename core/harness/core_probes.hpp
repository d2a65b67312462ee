// What a short run of adds tells of the core that it runs on: whether something else has it (an SMT
// sibling, another process), and the clock that it really runs at.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace syncmeter {

/// A lane is busy when its probe takes longer than this times the floor, in cycles: a lower clock
/// is nobody's doing, and costs as many cycles.
inline constexpr double busy_ratio = 1.15;

[[nodiscard]] inline std::int64_t steady_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// The quiet probe runs four independent chains of adds (they fill an ordinary core's integer
/// ports, so that a sibling on the same core shows), about 0.5 us at 3 GHz. Returns the time in ns.
[[nodiscard]] double quiet_probe_ns();

/// Runs two chains of adds that each wait for the one before, which every core in use does at one a
/// cycle, whatever its sibling does; one longer than the other, about 1.6 us at 4 GHz. Returns the
/// clock in GHz from what the longer one took more, so that reading the time costs nothing; 0 where
/// that was nothing.
[[nodiscard]] double read_core_clock_ghz();

/// The clock over the last readings: one that was interrupted, or that the steps of the time made
/// too long or too short, does not count.
class core_clock {
 public:
  /// Takes a reading in; one that is not above 0 is none.
  void add(double ghz);
  /// For another point: the readings go, the fastest clock stays.
  void clear() { readings_ = 0; }
  /// The mean of the middle half of the last readings, in GHz; 0 before any.
  [[nodiscard]] double ghz() const;
  /// The clock of now over the fastest that it had while it was read at least four times, at most
  /// 1; 1 where neither is known. A probe's time by this is what it takes at the fastest clock.
  [[nodiscard]] double share_of_fastest() const;

 private:
  static constexpr std::size_t kept = 8;  // two rounds
  static constexpr std::size_t settled = 4;
  std::array<double, kept> last_{};
  std::size_t readings_ = 0;
  double fastest_ghz_ = 0;
};

}  // namespace syncmeter
