// Reads the time in a kernel.
#pragma once

#include <cstdint>

#include "core/op.hpp"

namespace syncmeter::cuda {

SM_FN std::int64_t global_timer() {
  std::int64_t ns;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns)::"memory");
  return ns;
}

/// Timer and clock, read at the same moment.
struct clock_reading {
  std::int64_t ns;
  std::int64_t cycles_twice;  ///< clock before plus clock after the timer
};

/// Returns the more closely enclosed of two timer readings. A reading waits up to a microsecond for
/// atomics that still use its register. The compiler chooses the register, and thereby the waiting
/// reading.
SM_FN clock_reading read_timer_and_clock() {
  const std::int64_t before = clock64();
  const std::int64_t first_ns = global_timer();
  const std::int64_t between = clock64();
  const std::int64_t second_ns = global_timer();
  const std::int64_t after = clock64();
  if (between - before <= after - between) return {first_ns, before + between};
  return {second_ns, between + after};
}

}  // namespace syncmeter::cuda
