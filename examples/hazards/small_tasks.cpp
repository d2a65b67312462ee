// A task for each tiny piece of the work.
// Slow: to make a task and to hand it over takes longer than its work. Fixed (-DFIXED): a task for
// 1,000 pieces.
#include <algorithm>
#include <cstdio>
#include <vector>

constexpr int pieces = 1'000'000;
#ifdef FIXED
constexpr int of_task = 1000;
#else
constexpr int of_task = 1;
#endif

int main() {
  std::vector<float> values(pieces, 1.5F);
  float* const first = values.data();
#pragma omp parallel num_threads(2)
#pragma omp single nowait
  for (int p = 0; p < pieces; p += of_task) {
#pragma omp task firstprivate(p)
    for (int i = p; i < p + of_task; ++i)
      for (int step = 0; step < 50; ++step) first[i] = first[i] * 0.5F + 1;
  }
  double sum = 0;
  for (const float value : values) sum += value;
  std::printf("%.1f\n", sum);
}
