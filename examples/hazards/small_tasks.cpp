// A task for each tiny piece of the work.
// Slow: to make a task and to hand it over takes as long as its work. Fixed (-DFIXED): a task for
// 1,000 pieces.
#include <omp.h>

#include <cstdio>

constexpr int pieces = 1'000'000;
#ifdef FIXED
constexpr int of_task = 1000;
#else
constexpr int of_task = 1;
#endif
struct alignas(128) {
  long steps = 0;
} done[2];

void work(long& steps) {
  long mine = steps;
  for (int step = 0; step < 1500; ++step) {
    ++mine;
    asm volatile("" : "+r"(mine));  // one step after the other
  }
  steps = mine;
}

int main() {
#pragma omp parallel num_threads(2)
#pragma omp single nowait
  for (int p = 0; p < pieces; p += of_task) {
#pragma omp task
    for (int i = 0; i < of_task; ++i) work(done[omp_get_thread_num()].steps);
  }
  std::printf("%ld\n", done[0].steps + done[1].steps);
}
