// Programs that synchronize as they should, one for each argument: advice on any of them would be
// false. Two threads work for about a tenth of a second.
#include <omp.h>

#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <functional>
#include <mutex>
#include <queue>
#include <shared_mutex>
#include <thread>

namespace {

constexpr int all_us = 100'000;  // of each thread
std::atomic<long> sum = 0;

void work(int us) {
  for (long i = 0; i < us * 2800L; ++i) asm volatile("" : "+r"(i));
}

void both(const std::function<void(int)>& body) {
  std::thread first(body, 0), second(body, 1);
  first.join();
  second.join();
}

void one_region() {
#pragma omp parallel for num_threads(2) schedule(static)
  for (int i = 0; i < 2 * all_us / 100; ++i) work(100);
}

void reduction() {
  for (int region = 0; region < 100; ++region) {
    long here = 0;
#pragma omp parallel for num_threads(2) schedule(static) reduction(+ : here)
    for (int i = 0; i < 2 * all_us / 10'000; ++i) {
      work(100);
      here += i;
    }
    sum += here;
  }
}

void balanced_loops() {
#pragma omp parallel num_threads(2)
  for (int loop = 0; loop < 100; ++loop) {
#pragma omp for schedule(static)
    for (int i = 0; i < 2 * all_us / 100'000; ++i) work(1000);
  }
}

void long_chunks() {
#pragma omp parallel for num_threads(2) schedule(dynamic, 4)
  for (int i = 0; i < 2 * all_us / 50; ++i) work(50);
}

void guided() {
#pragma omp parallel for num_threads(2) schedule(guided, 8)
  for (int i = 0; i < 2 * all_us / 10; ++i) work(10);
}

void long_tasks() {
#pragma omp parallel num_threads(2)
#pragma omp single nowait
  for (int i = 0; i < 2 * all_us / 100; ++i) {
#pragma omp task
    work(100);
  }
}

std::mutex mutex;
void rare_locks() {
  both([](int) {
    for (int i = 0; i < all_us / 100; ++i) {
      work(100);
      const std::lock_guard held(mutex);
      sum.store(sum.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }
  });
}

// One for each thread, on lines of their own.
struct alignas(128) shard {
  std::mutex mutex;
  long count = 0;
};
shard shards[2];
void sharded() {
  both([](int thread) {
    shard& mine = shards[thread];
    for (int i = 0; i < all_us / 5; ++i) {
      work(5);
      const std::lock_guard held(mine.mutex);
      ++mine.count;
    }
  });
}

std::shared_mutex shared_mutex;
void long_reads() {
  both([](int) {
    for (int i = 0; i < all_us / 200; ++i) {
      const std::shared_lock held(shared_mutex);
      work(200);
    }
  });
}

// Items of a millisecond: the producer hands on one while it makes the next.
void big_items() {
  std::queue<int> items;
  std::mutex of_items;
  std::condition_variable came;
  std::thread consumer([&] {
    for (int i = 0; i < all_us / 1000; ++i) {
      std::unique_lock held(of_items);
      came.wait(held, [&] { return !items.empty(); });
      items.pop();
      held.unlock();
      work(1000);
    }
  });
  for (int i = 0; i < all_us / 1000; ++i) {
    work(1000);
    {
      const std::lock_guard held(of_items);
      items.push(i);
    }
    came.notify_one();
  }
  consumer.join();
}

struct program {
  const char* name;
  void (*run)();
} const programs[] = {
    {"one_region", one_region},   {"reduction", reduction}, {"balanced_loops", balanced_loops},
    {"long_chunks", long_chunks}, {"guided", guided},       {"long_tasks", long_tasks},
    {"rare_locks", rare_locks},   {"sharded", sharded},     {"long_reads", long_reads},
    {"big_items", big_items}};

}  // namespace

int main(int argc, char** argv) {
  for (const program& each : programs) {
    if (argc == 1) std::puts(each.name);
    else if (std::strcmp(argv[1], each.name) == 0) each.run();
  }
}
