// Threads with short steps meet at a barrier that puts whoever waits to sleep.
// Slow: to wake a thread takes longer than a step. Fixed (-DFIXED): a barrier at which threads
// spin, and let others run only after a long while.
#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <cstdio>
#include <functional>
#include <thread>

constexpr int steps = 20'000;
constexpr unsigned threads = 2;
pthread_barrier_t barrier;
std::atomic<unsigned> arrived = 0, passed = 0;

void meet() {
#ifdef FIXED
  const unsigned turn = passed.load();
  if (arrived.fetch_add(1) + 1 == threads) {
    arrived.store(0);
    passed.store(turn + 1);
    return;
  }
  for (long spins = 1; passed.load() == turn; ++spins)
    if (spins % 2'000 == 0) sched_yield();
#else
  pthread_barrier_wait(&barrier);
#endif
}

void take_steps(double& sum) {
  for (int s = 0; s < steps; ++s) {
    for (int i = 0; i < 2000; ++i) sum += 0.5;
    meet();
  }
}

int main() {
  pthread_barrier_init(&barrier, nullptr, threads);
  alignas(128) double first_sum = 0;
  alignas(128) double second_sum = 0;
  std::thread first(take_steps, std::ref(first_sum)), second(take_steps, std::ref(second_sum));
  first.join();
  second.join();
  pthread_barrier_destroy(&barrier);
  std::printf("%.1f\n", first_sum + second_sum);
}
