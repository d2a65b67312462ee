// One thread has more to do than the other, and that one waits at the end of each loop.
// Slow: a static schedule gives the first thread the short iterations. Fixed (-DFIXED): a schedule
// that gives work to whoever is free.
#include <cstdio>
#include <vector>

#ifndef TIMES
#define TIMES 1
#endif
constexpr int rounds = TIMES * 100, iterations = 64;

int main() {
  std::vector<double> sums(iterations);
#pragma omp parallel num_threads(2)
  for (int round = 0; round < rounds; ++round) {
#ifdef FIXED
#pragma omp for schedule(dynamic, 2)
#else
#pragma omp for schedule(static)
#endif
    for (int i = 0; i < iterations; ++i)
      for (int work = 0; work < 300 * i; ++work) sums[i] += 0.5;
  }
  double sum = 0;
  for (const double each : sums) sum += each;
  std::printf("%.1f\n", sum);
}
