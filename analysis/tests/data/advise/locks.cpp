// Two threads hold a mutex for a third of their work. Source of locks.jsonl.xz.
#include <cstdio>
#include <mutex>
#include <thread>

std::mutex mutex;
double total = 0;

double work(int steps) {
  double value = 1;
  for (int i = 0; i < steps; ++i) value = value * 0.999999 + 1e-9;
  return value;
}

void add_all() {
  for (int i = 0; i < 20'000; ++i) {
    const double mine = work(500);
    const std::scoped_lock held(mutex);
    total += mine + work(250);
  }
}

int main() {
  std::thread first(add_all), second(add_all);
  first.join();
  second.join();
  std::printf("%g\n", total);
}
