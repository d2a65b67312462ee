// All threads count in one variable under one mutex.
// Slow: a lock for each event. Fixed (-DFIXED): each thread counts for itself, and adds once at its
// end.
#include <cstdio>
#include <mutex>
#include <thread>

constexpr long events = 2'000'000;
std::mutex mutex;
long total = 0;

void count_events() {
#ifdef FIXED
  long mine = 0;
  for (long e = 0; e < events; ++e) {
    ++mine;
    asm volatile("" : "+r"(mine));
  }
  const std::lock_guard held(mutex);
  total += mine;
#else
  for (long e = 0; e < events; ++e) {
    const std::lock_guard held(mutex);
    ++total;
  }
#endif
}

int main() {
  std::thread first(count_events), second(count_events);
  first.join();
  second.join();
  std::printf("%ld\n", total);
}
