// Two threads count 5,000,000 events each in one shared counter.
// Build A: a mutex protects the counter. Build B (-DATOMIC): the counter is an atomic variable.
#include <atomic>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

constexpr int threads = 2, events = 5'000'000;

#ifdef ATOMIC
std::atomic<long> total;
void count() { total.fetch_add(1, std::memory_order_relaxed); }
#else
std::mutex mutex;
long total;
void count() {
  const std::lock_guard lock(mutex);
  ++total;
}
#endif

int main() {
  std::vector<std::jthread> team;
  for (int t = 0; t < threads; ++t)
    team.emplace_back([] {
      for (int e = 0; e < events; ++e) count();
    });
  team.clear();  // joins
  std::printf("%ld\n", static_cast<long>(total));
}
