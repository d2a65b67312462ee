// A thread hands items to a second thread through a queue with a condition variable. Source of
// queue.jsonl.xz.
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <queue>
#include <thread>

std::mutex mutex;
std::condition_variable has_item;
std::queue<long> items;

long work(int steps) {
  volatile long value = 1;
  for (int i = 0; i < steps; ++i) value = value * 3 + 1;
  return value;
}

int main() {
  constexpr int all = 20'000;
  long sum = 0;
  std::thread consumer([&] {
    for (int i = 0; i < all; ++i) {
      std::unique_lock held(mutex);
      has_item.wait(held, [] { return !items.empty(); });
      sum += items.front();
      items.pop();
    }
  });
  for (int i = 0; i < all; ++i) {
    const long item = work(2000);
    {
      const std::scoped_lock held(mutex);
      items.push(item);
    }
    has_item.notify_one();
  }
  consumer.join();
  std::printf("%ld\n", sum);
}
