// What a kernel reads the time with.
#pragma once

#include <cstdint>

#include "core/op.hpp"

namespace syncmeter::cuda {

SM_FN std::int64_t global_timer() {
  std::int64_t ns;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns)::"memory");
  return ns;
}

/// The timer and the clock, read at the same moment.
struct clock_reading {
  std::int64_t ns;
  std::int64_t cycles_twice;  ///< sum of the clock's readings before and after the timer's
};

/// A reading waits until atomics under way have let go of the register that it goes to, which can
/// take a microsecond, and which one has to wait is the compiler's choice. So the timer is read
/// twice, and the reading counts that the clock encloses more closely.
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
