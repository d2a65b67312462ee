// Spinning: what a core executes in a loop that waits, and work of a given length that touches no
// memory, such as a section or the time between two is made of.
#pragma once

#include <cstdint>

namespace syncmeter {

/// Delays the next look of a spin loop. AArch64 uses isb: most Arm cores ignore yield.
inline void spin_pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb");
#endif
}

namespace ops {

/// So many steps of a chain of dependent operations, which no compiler shortens.
inline void spend(std::uint64_t steps) {
  std::uint64_t x = steps;
  for (std::uint64_t i = 0; i < steps; ++i) {
    x = x * 5 + i;
    asm volatile("" : "+r"(x));
  }
}

/// The same, four chains side by side: a core with two threads has little left for the other one.
inline void spend_wide(std::uint64_t steps) {
  std::uint64_t a = steps, b = steps, c = steps, d = steps;
  for (std::uint64_t i = 0; i < steps; ++i) {
    a = a * 5 + i, b = b * 5 + i, c = c * 5 + i, d = d * 5 + i;
    asm volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d));
  }
}

/// One operation and a jump at a time. A core with two threads fetches for each of them in turn, up
/// to a jump: beside any other one this takes twice as long.
inline void spend_narrow(std::uint64_t steps) {
  for (std::uint64_t i = 0; i < steps; ++i) asm volatile("" : "+r"(i));
}

/// Steps that last `ns` on a core by itself, at the clock rate that it had when this was first
/// asked; 0 for 0.
[[nodiscard]] std::uint64_t steps_of(unsigned ns);
/// The same for spend_wide, and for spend_narrow.
[[nodiscard]] std::uint64_t wide_steps_of(unsigned ns);
[[nodiscard]] std::uint64_t narrow_steps_of(unsigned ns);

}  // namespace ops
}  // namespace syncmeter
