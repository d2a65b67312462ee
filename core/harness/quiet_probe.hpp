// The quiet probe: a fixed, short piece of pure register work. When it takes longer than it ever
// took on the same lanes, something else has the core: an SMT sibling, another process, a lower
// clock.
#pragma once

#include <chrono>
#include <cstdint>

namespace syncmeter {

/// A lane is busy when its probe takes longer than this times the floor.
inline constexpr double busy_ratio = 1.15;

[[nodiscard]] inline std::int64_t steady_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// Runs four independent chains of adds (they fill an ordinary core's integer ports, so that a
/// sibling on the same core shows), about 0.5 us at 3 GHz. Returns the time in ns.
[[nodiscard]] double quiet_probe_ns();

}  // namespace syncmeter
