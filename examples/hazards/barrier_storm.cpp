// A barrier after each small step, although no step reads what the other thread has written.
// Slow: `steps` barriers. Fixed (-DFIXED): each thread takes its steps alone, with one barrier at
// the end.
#include <omp.h>

#include <cstdio>

#ifndef TIMES
#define TIMES 1
#endif
constexpr int steps = TIMES * 50'000;

int main() {
  double sums[2][8] = {};
#pragma omp parallel num_threads(2)
  {
    double& mine = sums[omp_get_thread_num()][0];
    for (int s = 0; s < steps; ++s) {
      for (int i = 0; i < 50; ++i) mine += 0.5;
#ifndef FIXED
#pragma omp barrier
#endif
    }
  }
  std::printf("%.1f\n", sums[0][0] + sums[1][0]);
}
