// Threads that each take a mutex so many times with so much work between, to see what counting
// costs: THREADS CALLS WORK, where WORK is turns of a loop of about a nanosecond; each thread has a
// mutex of its own, or with `shared` all have one. Prints the wall time and the CPU time of all
// threads, in s.
#include <pthread.h>
#include <time.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

namespace {

struct alignas(128) lock {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  long count = 0;
};

double now(clockid_t clock) {
  timespec at{};
  clock_gettime(clock, &at);
  return static_cast<double>(at.tv_sec) + 1e-9 * static_cast<double>(at.tv_nsec);
}

void take(lock& of, long calls, long work) {
  for (long i = 0; i < calls; ++i) {
    pthread_mutex_lock(&of.mutex);
    ++of.count;
    pthread_mutex_unlock(&of.mutex);
    for (long turn = 0; turn < work; ++turn) asm volatile("" : : "r"(turn));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const auto threads = static_cast<std::size_t>(std::atoi(argv[1]));
  const long calls = std::atol(argv[2]), work = std::atol(argv[3]);
  const bool shared = argc > 4 && std::strcmp(argv[4], "shared") == 0;
  std::vector<lock> locks(threads);
  const double begun = now(CLOCK_MONOTONIC);
  std::vector<std::thread> all;
  for (std::size_t i = 0; i < threads; ++i)
    all.emplace_back([&, i] { take(locks[shared ? 0 : i], calls, work); });
  for (std::thread& each : all) each.join();
  std::printf("%.6f %.6f\n", now(CLOCK_MONOTONIC) - begun, now(CLOCK_PROCESS_CPUTIME_ID));
}
