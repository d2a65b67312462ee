// A setting that hardly ever changes is read under a reader-writer lock, for a few nanoseconds.
// Slow: nobody waits, but each reader writes to the lock, and its cache line moves from processor
// to processor. Fixed (-DFIXED): readers load an atomic variable, and write nothing.
#include <atomic>
#include <cstdio>
#include <functional>
#include <mutex>
#include <shared_mutex>
#include <thread>

constexpr int reads = 2'000'000, between_writes = 500'000;
std::shared_mutex mutex;
#ifdef FIXED
std::atomic<int> setting = 3;
#else
int setting = 3;
#endif

int read_setting() {
#ifdef FIXED
  return setting.load(std::memory_order_acquire);
#else
  const std::shared_lock held(mutex);
  return setting;
#endif
}

void read_often(long& sum) {
  long mine = 0;
  for (int r = 0; r < reads; ++r) {
    if (r % between_writes == 0) {
      const std::unique_lock held(mutex);
      setting = 3;
    }
    const int now = read_setting();
    for (int i = 0; i < 50; ++i) {
      mine += now;
      asm volatile("" : "+r"(mine));
    }
  }
  sum = mine;
}

int main() {
  long sums[2] = {};
  std::thread first(read_often, std::ref(sums[0])), second(read_often, std::ref(sums[1]));
  first.join();
  second.join();
  std::printf("%ld\n", sums[0] + sums[1]);
}
