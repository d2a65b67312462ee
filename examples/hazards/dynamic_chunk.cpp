// A loop of tiny iterations that the threads fetch one at a time.
// Slow: schedule(dynamic, 1); to fetch an iteration takes about as long as to do it. Fixed
// (-DFIXED): chunks of 1,000 iterations.
#include <cstdio>

constexpr int iterations = 4'000'000;

int main() {
  long sum = 0;
#ifdef FIXED
#pragma omp parallel for num_threads(2) schedule(dynamic, 1000) reduction(+ : sum)
#else
#pragma omp parallel for num_threads(2) schedule(dynamic, 1) reduction(+ : sum)
#endif
  for (int i = 0; i < iterations; ++i)
    for (int step = 0; step < 100; ++step) {
      sum += i % 2;
      asm volatile("" : "+r"(sum));  // one step after the other
    }
  std::printf("%ld\n", sum);
}
