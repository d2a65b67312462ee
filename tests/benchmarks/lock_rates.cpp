// Threads that each synchronize so many times with so much work between, to see what counting
// costs: THREADS CALLS WORK WHAT, where WORK is turns of a loop of about a nanosecond, and WHAT is
// `own` (each thread takes a mutex of its own), `shared` (all take one), or the construct of OpenMP
// that a team of these threads passes: `region`, `barrier`, `critical`, `chunk`. Prints the wall
// time and the CPU time of all threads, in s; of `clock` the least between so many looks at it.
#include <omp.h>
#include <pthread.h>
#include <time.h>

#include <algorithm>
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

void pass_time(long work) {
  for (long turn = 0; turn < work; ++turn) asm volatile("" : : "r"(turn));
}

void take(lock& of, long calls, long work) {
  for (long i = 0; i < calls; ++i) {
    pthread_mutex_lock(&of.mutex);
    ++of.count;
    pthread_mutex_unlock(&of.mutex);
    pass_time(work);
  }
}

int in_threads(std::size_t threads, long calls, long work, bool shared) {
  std::vector<lock> locks(threads);
  std::vector<std::thread> all;
  for (std::size_t i = 0; i < threads; ++i)
    all.emplace_back([&, i] { take(locks[shared ? 0 : i], calls, work); });
  for (std::thread& each : all) each.join();
  return 0;
}

int in_team(int threads, long calls, long work, const char* what) {
  omp_set_num_threads(threads);
  if (std::strcmp(what, "region") == 0) {
    for (long i = 0; i < calls; ++i)
#pragma omp parallel
      pass_time(work);
  } else if (std::strcmp(what, "barrier") == 0) {
#pragma omp parallel
    for (long i = 0; i < calls; ++i) {
      pass_time(work);
#pragma omp barrier
    }
  } else if (std::strcmp(what, "critical") == 0) {
    long count = 0;
#pragma omp parallel
    for (long i = 0; i < calls; ++i) {
      pass_time(work);
#pragma omp critical
      ++count;
    }
  } else if (std::strcmp(what, "chunk") == 0) {
#pragma omp parallel for schedule(dynamic, 1)
    for (long i = 0; i < calls * threads; ++i) pass_time(work);
  } else {
    return 2;
  }
  return 0;
}

int print_clock(long calls) {
  double least = 1;
  for (long i = 0; i < calls; ++i) {
    const double begun = now(CLOCK_MONOTONIC);
    least = std::min(least, now(CLOCK_MONOTONIC) - begun);
  }
  std::printf("%.9f\n", least);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  const int threads = std::atoi(argv[1]);
  const long calls = std::atol(argv[2]), work = std::atol(argv[3]);
  const char* const what = argv[4];
  if (std::strcmp(what, "clock") == 0) return print_clock(calls);
  const bool shared = std::strcmp(what, "shared") == 0;
  const double begun = now(CLOCK_MONOTONIC);
  const int status = shared || std::strcmp(what, "own") == 0
                         ? in_threads(static_cast<std::size_t>(threads), calls, work, shared)
                         : in_team(threads, calls, work, what);
  std::printf("%.6f %.6f\n", now(CLOCK_MONOTONIC) - begun, now(CLOCK_PROCESS_CPUTIME_ID));
  return status;
}
