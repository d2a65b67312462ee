// What a core is told in a loop that waits.
#pragma once

namespace syncmeter {

/// Tells the core that this is a spin loop.
inline void spin_pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace syncmeter
