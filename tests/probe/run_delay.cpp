// Four threads that share one processing unit, work and meet three times: for most of their time
// each is ready to run and has no unit. As a team of OpenMP, which lives to the end ("team"), by
// threads that end before it ("threads"), or in a program that leaves without its end ("_exit").
// Prints what the kernel says that each has waited behind its last meeting, all together, and
// the wall time, in ns.
#include <pthread.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <thread>
#include <vector>

namespace {

constexpr int threads = 4, meetings = 3;

long now(clockid_t clock) {
  timespec at{};
  clock_gettime(clock, &at);
  return at.tv_sec * 1'000'000'000L + at.tv_nsec;
}

void work() {
  constexpr long work_ns = 20'000'000;
  for (const long end = now(CLOCK_THREAD_CPUTIME_ID) + work_ns;
       now(CLOCK_THREAD_CPUTIME_ID) < end;);
}

std::atomic<long> waited_ns = 0;

void add_own_wait() {
  long on_unit_ns = 0, own_ns = 0;
  std::ifstream("/proc/thread-self/schedstat") >> on_unit_ns >> own_ns;
  waited_ns += own_ns;
}

void in_team() {
#pragma omp parallel num_threads(threads)
  {
    for (int i = 0; i < meetings; ++i) {
      work();
#pragma omp barrier
    }
    add_own_wait();
  }
}

void in_threads() {
  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, nullptr, threads);
  std::vector<std::thread> all;
  for (int i = 0; i < threads; ++i)
    all.emplace_back([&] {
      for (int meeting = 0; meeting < meetings; ++meeting) {
        work();
        pthread_barrier_wait(&barrier);
      }
      add_own_wait();
    });
  for (std::thread& each : all) each.join();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  sched_setaffinity(0, sizeof one, &one);
  const long begun = now(CLOCK_MONOTONIC);
  if (std::strcmp(argv[1], "threads") == 0) in_threads();
  else in_team();
  std::printf("%ld %ld\n", waited_ns.load(), now(CLOCK_MONOTONIC) - begun);
  if (std::strcmp(argv[1], "_exit") == 0) {
    std::fflush(stdout);
    _exit(0);
  }
}
