// Each thread counts in a variable of its own, but the variables lie on one cache line.
// Slow: the line moves from processor to processor. Fixed (-DFIXED): a cache line for each.
#include <cstdio>
#include <functional>
#include <thread>

constexpr long events = 100'000'000;

#ifdef FIXED
struct alignas(128) counter {
#else
struct counter {
#endif
  long events = 0;
};
counter counters[2];

void count_events(counter& mine) {
  for (long e = 0; e < events; ++e) {
    ++mine.events;
    asm volatile("" : : : "memory");  // as a call would, so that the counter is in memory each time
  }
}

int main() {
  std::thread first(count_events, std::ref(counters[0]));
  std::thread second(count_events, std::ref(counters[1]));
  first.join();
  second.join();
  std::printf("%ld\n", counters[0].events + counters[1].events);
}
