// A team of two that shares a processing unit for nine turns of a loop, and has one for each thread
// from then on: in regions alone ("one"), with a region of one thread after each ("two"), or with
// one inside of each ("inner").
#include <omp.h>
#include <sched.h>

#include <cstring>

namespace {

int units[2];
int found_units() {
  cpu_set_t allowed;
  sched_getaffinity(0, sizeof allowed, &allowed);
  int found = 0;
  for (int unit = 0; unit < CPU_SETSIZE && found < 2; ++unit)
    if (CPU_ISSET(unit, &allowed)) units[found++] = unit;
  return found;
}
void stay_on(int unit) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(unit, &set);
  sched_setaffinity(0, sizeof set, &set);
}

}  // namespace

int main(int, char** arguments) {
  const bool two = std::strcmp(arguments[1], "two") == 0,
             inner = std::strcmp(arguments[1], "inner") == 0;
  if (found_units() < 2) return 1;
  stay_on(units[0]);
  for (int i = 0; i < 100; ++i) {
#pragma omp parallel num_threads(2)
    {
      stay_on(units[i < 9 ? 0 : omp_get_thread_num()]);
      if (inner && omp_get_thread_num() == 0) {
#pragma omp parallel num_threads(1)
        asm volatile("");
      }
    }
    if (two) {
#pragma omp parallel num_threads(1)
      asm volatile("");
    }
  }
}
