// A producer announces an item while it holds the mutex, and goes on to keep its books under it.
// Slow: the consumer wakes, finds the mutex taken, and sleeps again. Fixed (-DFIXED): the mutex is
// released first; the books are the producer's own.
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

constexpr int items = 10'000;
std::mutex mutex;
std::condition_variable ready, taken;
bool is_full = false;
long books = 0;

void work(long& sum) {
  for (int i = 0; i < 15'000; ++i) {
    ++sum;
    asm volatile("" : "+r"(sum));
  }
}

void produce() {
  for (int item = 0; item < items; ++item) {
    std::unique_lock held(mutex);
    taken.wait(held, [] { return !is_full; });
    is_full = true;
#ifdef FIXED
    held.unlock();
#endif
    ready.notify_one();
    work(books);
  }
}

int main() {
  std::thread producer(produce);
  long used = 0;
  for (int item = 0; item < items; ++item) {
    {
      std::unique_lock held(mutex);
      ready.wait(held, [] { return is_full; });
      is_full = false;
    }
    taken.notify_one();
    work(used);
  }
  producer.join();
  std::printf("%ld\n", books + used);
}
