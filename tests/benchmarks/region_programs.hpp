// What the programs beside the study of regions have in common, and syncmeter has not: a clock, and
// where a thread runs.
#pragma once

#include <sched.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

// Not omp_get_wtime, which is a clock of microseconds in LLVM's runtime: a gap that ends with its
// tick leaves out half of one.
inline double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// To the one with that number among the processors that the process may use; nowhere where there
// are too few, as for a thread that OMP_PROC_BIND has bound.
inline void pin(int number, cpu_set_t may_use) {
  if (CPU_COUNT(&may_use) <= number) return;
  int processor = 0;
  while (!CPU_ISSET(processor, &may_use) || number-- > 0) ++processor;
  CPU_ZERO(&may_use);
  CPU_SET(processor, &may_use);
  if (sched_setaffinity(0, sizeof may_use, &may_use) != 0)
    std::perror("sched_setaffinity"), std::exit(1);
}
