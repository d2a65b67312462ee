// Adds 1 / (distance^2 + 1) over all pairs of bodies, 400 times. Row i has i pairs.
// -DBALANCED: threads fetch 16 rows at a time. Otherwise each thread gets one equal share.
#include <cstdio>
#include <vector>

int main() {
  constexpr int bodies = 1'500, steps = 400;
  std::vector<double> x(bodies), sum(bodies);
  for (int i = 0; i < bodies; ++i) x[i] = i * 0.5;
  for (int step = 0; step < steps; ++step) {
#ifdef BALANCED
#pragma omp parallel for schedule(dynamic, 16)
#else
#pragma omp parallel for schedule(static)
#endif
    for (int i = 0; i < bodies; ++i) {
      double row = 0;
      for (int j = 0; j < i; ++j) row += 1 / ((x[i] - x[j]) * (x[i] - x[j]) + 1);
      sum[i] += row;
    }
  }
  double total = 0;
  for (const double each : sum) total += each;
  std::printf("%.3f\n", total);
}
