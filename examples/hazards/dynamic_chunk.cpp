// A loop of tiny iterations that the threads fetch one at a time.
// Slow: schedule(dynamic, 1); to fetch an iteration takes about as long as to do it. Fixed
// (-DFIXED): chunks of 1,000 iterations.
#include <cstdio>
#include <vector>

constexpr int iterations = 2'000'000;

int main() {
  std::vector<float> values(iterations, 1.5F);
#ifdef FIXED
#pragma omp parallel for num_threads(2) schedule(dynamic, 1000)
#else
#pragma omp parallel for num_threads(2) schedule(dynamic, 1)
#endif
  for (int i = 0; i < iterations; ++i)
    for (int step = 0; step < 60; ++step) values[i] = values[i] * 0.5F + 1;
  double sum = 0;
  for (const float value : values) sum += value;
  std::printf("%.1f\n", sum);
}
