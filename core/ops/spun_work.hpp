// Work of a given length that touches no memory: what a section or the time between two is made of.
#pragma once

#include <cstdint>

namespace syncmeter::ops {

/// So many steps of a chain of dependent operations, which no compiler shortens.
inline void spend(std::uint64_t steps) {
  std::uint64_t x = steps;
  for (std::uint64_t i = 0; i < steps; ++i) {
    x = x * 5 + i;
    asm volatile("" : "+r"(x));
  }
}

/// Steps that last `ns` on a core by itself, at the clock rate that it had when this was first
/// asked; 0 for 0.
[[nodiscard]] std::uint64_t steps_of(unsigned ns);

}  // namespace syncmeter::ops
