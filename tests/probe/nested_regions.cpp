// Regions inside regions, deeper than the library that counts keeps room for, and by several
// threads one after the other: each thread of each region has the values of its own call.
#include <omp.h>

#include <atomic>
#include <cstdio>

namespace {

constexpr int deepest = 5;
std::atomic<long> wrong = 0, passed = 0;

void region(int depth, long value) {
  const long other = 3 * value;
#pragma omp parallel num_threads(2) firstprivate(depth, value)
  {
    if (other != 3 * value || omp_get_level() != depth + 1) ++wrong;
    ++passed;
    if (depth + 1 < deepest) region(depth + 1, 2 * value + omp_get_thread_num());
    // The frames of inner regions are no longer in use, and this one still is.
    if (other != 3 * value || omp_get_level() != depth + 1) ++wrong;
  }
}

}  // namespace

int main() {
  omp_set_max_active_levels(deepest);
  for (int i = 0; i < 5; ++i) region(0, i);
  std::printf("%ld %ld\n", passed.load(), wrong.load());
}
