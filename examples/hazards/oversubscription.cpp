// A team of more threads than there are processing units, which meet after each step.
// Slow: four threads for each unit; those that have none keep the others waiting. Fixed (-DFIXED):
// as many threads as units, which share the same work.
#include <omp.h>

#include <cstdio>
#include <vector>

constexpr int steps = 3'000, cells = 960;

int main() {
#ifdef FIXED
  const int threads = omp_get_num_procs();
#else
  const int threads = 4 * omp_get_num_procs();
#endif
  std::vector<double> values(cells);
#pragma omp parallel num_threads(threads)
  for (int s = 0; s < steps; ++s) {
#pragma omp for schedule(static)
    for (int c = 0; c < cells; ++c)
      for (int i = 0; i < 60; ++i) values[c] += 0.5;
  }
  double sum = 0;
  for (const double value : values) sum += value;
  std::printf("%.1f\n", sum);
}
