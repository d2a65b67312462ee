// Each result is computed while the mutex is held that guards the list of results.
// Slow: one thread computes at a time. Fixed (-DFIXED): both compute, and hold the mutex only to
// store what they have.
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

constexpr int results_of_thread = 2'000;
std::mutex mutex;
std::vector<double> results;

double compute(int number) {
  double sum = 0;
  for (int i = 1; i <= 40'000; ++i) sum += 0.5 * (number % 2);
  return sum;
}

void add_results() {
  for (int r = 0; r < results_of_thread; ++r) {
#ifdef FIXED
    const double result = compute(r);
    const std::lock_guard held(mutex);
    results.push_back(result);
#else
    const std::lock_guard held(mutex);
    results.push_back(compute(r));
#endif
  }
}

int main() {
  std::thread first(add_results), second(add_results);
  first.join();
  second.join();
  double sum = 0;
  for (const double result : results) sum += result;
  std::printf("%.1f\n", sum);
}
