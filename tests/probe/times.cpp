// A program with its own clock for the probe. The program plans when threads arrive and leave, and
// prints the expected sums in ns over all threads: KIND TIMED UNTIL_LAST AFTER_LAST FORK INSIDE for
// regions and barriers, if their number is a multiple of the first argument. Locks have KIND TIMED
// CALL HELD, and chunks have KIND TIMED CALL WORK.
#include <linux/futex.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace {

/// What the next looks at the clock show, in this thread.
thread_local std::uint64_t planned[4] = {};
thread_local int looks = 0;

void plan(std::uint64_t a, std::uint64_t b, std::uint64_t c = 0, std::uint64_t d = 0) {
  looks = 0;
  planned[0] = a;
  planned[1] = b;
  planned[2] = c;
  planned[3] = d;
}

std::uint64_t every = 1;
struct sums {
  std::uint64_t timed = 0, until_last = 0, after_last = 0, fork = 0, inside = 0;
  std::uint64_t call = 0, held = 0, work = 0;
  void print(const char* kind) const {
    std::printf("%s %lu %lu %lu %lu %lu\n", kind, timed, until_last, after_last, fork, inside);
  }
  void print_calls(const char* kind) const {
    const bool is_chunk = std::string_view(kind) == "chunk";
    std::printf("%s %lu %lu %lu\n", kind, timed, call, is_chunk ? work : held);
  }
};

constexpr std::uint64_t number = 600, turn = 1'000'000'000;
/// In turn the one and the other is late, by something else each time.
std::uint64_t arrival(std::uint64_t n, int thread) {
  return (n + 1) * turn + (n % 2 == static_cast<std::uint64_t>(thread) ? 1000 + 7919 * n : 0);
}
std::uint64_t last_arrival(std::uint64_t n) { return std::max(arrival(n, 0), arrival(n, 1)); }
std::uint64_t leaving(std::uint64_t n, int thread) {
  return last_arrival(n) + 100 + n + 50 * static_cast<std::uint64_t>(thread);
}
constexpr std::uint64_t called_before = 5000, begun_before = 3000;

void expect_meetings(sums& all, bool both_leave) {
  for (std::uint64_t n = 0; n < number; n += every) {
    all.timed += both_leave ? 2 : 1;
    for (int thread = 0; thread < 2; ++thread)
      all.until_last += last_arrival(n) - arrival(n, thread);
    all.after_last += leaving(n, 0) - last_arrival(n);
    if (both_leave) all.after_last += leaving(n, 1) - last_arrival(n);
  }
}

/// Between regions: when the next is called, and when this thread begins its part.
[[gnu::noinline]] void region(std::uint64_t n) {
  if (n == 0) plan(arrival(0, 0) - called_before, arrival(0, 0) - begun_before);
#pragma omp parallel num_threads(2)
  {
    // A region that is left out looks at no clock.
    const bool timed = n % every == 0;
    const std::uint64_t next = (n / every + 1) * every;
    const int thread = omp_get_thread_num();
    if (timed && thread == 0)
      plan(arrival(n, 0), leaving(n, 0), arrival(next, 0) - called_before,
           arrival(next, 0) - begun_before);
    else if (timed) plan(arrival(n, 1), arrival(next, 0) - begun_before);
  }
}

[[gnu::noinline]] void barriers() {
#pragma omp parallel num_threads(2)
  {
    const int thread = omp_get_thread_num();
    for (std::uint64_t n = 0; n < number; ++n) {
      plan(arrival(n, thread), leaving(n, thread));
#pragma omp barrier
    }
    plan(0, 0);
  }
}

/// Sections of one thread: when the call comes, when it has the lock, when it gives it back, when
/// the release has returned.
void plan_section(std::uint64_t n) {
  const std::uint64_t at = (n + 1) * turn;
  plan(at, at + 100 + n, at + 400 + 2 * n, at + 500 + 3 * n);
}
void plan_release(std::uint64_t n) {
  const std::uint64_t at = (n + 1) * turn;
  plan(at + 400 + 2 * n, at + 500 + 3 * n);
}
void expect_sections(sums& all) {
  for (std::uint64_t n = 0; n < number; ++n) {
    ++all.timed;
    all.call += 100 + n;
    all.held += 300 + n;
    all.work += 400 + 2 * n;
  }
}
#define SECTIONS(name, take, release)                                                              \
  [[gnu::noinline]] void name() {                                                                  \
    for (std::uint64_t n = 0; n < number; ++n) {                                                   \
      plan_section(n);                                                                             \
      take;                                                                                        \
      release;                                                                                     \
    }                                                                                              \
  }
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, inner = PTHREAD_MUTEX_INITIALIZER;
pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
pthread_spinlock_t spin;
omp_lock_t lock;
omp_nest_lock_t nest_lock;
mtx_t mtx;
SECTIONS(mutexes, pthread_mutex_lock(&mutex), pthread_mutex_unlock(&mutex))
SECTIONS(mtxs, mtx_lock(&mtx), mtx_unlock(&mtx))
SECTIONS(reads, pthread_rwlock_rdlock(&rwlock), pthread_rwlock_unlock(&rwlock))
SECTIONS(writes, pthread_rwlock_wrlock(&rwlock), pthread_rwlock_unlock(&rwlock))
SECTIONS(spins, pthread_spin_lock(&spin), pthread_spin_unlock(&spin))
SECTIONS(locks, omp_set_lock(&lock), omp_unset_lock(&lock))
SECTIONS(nest_locks, omp_set_nest_lock(&nest_lock), omp_unset_nest_lock(&nest_lock))
// What is taken inside a timed section is part of it.
SECTIONS(nested, (pthread_mutex_lock(&mutex), pthread_mutex_lock(&inner)),
         (pthread_mutex_unlock(&inner), pthread_mutex_unlock(&mutex)))
// One that is given back before one that was taken inside: it is over then.
SECTIONS(handed_over, (pthread_mutex_lock(&mutex), pthread_mutex_lock(&inner)),
         (pthread_mutex_unlock(&mutex), plan(0, 0), pthread_mutex_unlock(&inner)))
// One that its thread tries again, and has then: it is over with the last release.
#define HAD_TWICE(name, take, take_again, release)                                                 \
  SECTIONS(name, (take, take_again, plan(0, 0), release, plan_release(n)), release)
pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
HAD_TWICE(tried_again, pthread_mutex_lock(&recursive), pthread_mutex_trylock(&recursive),
          pthread_mutex_unlock(&recursive))
HAD_TWICE(tested_again, omp_set_nest_lock(&nest_lock), omp_test_nest_lock(&nest_lock),
          omp_unset_nest_lock(&nest_lock))
// One that its thread waits for again, which fails at once: it is over with the first release.
pthread_mutex_t checked = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
constexpr timespec some_day{.tv_sec = 4'000'000'000, .tv_nsec = 0};
SECTIONS(given_up, (pthread_mutex_lock(&checked), pthread_mutex_timedlock(&checked, &some_day)),
         pthread_mutex_unlock(&checked))
// Who wakes others does not wait.
[[gnu::noinline]] void futexes(sums& all) {
  int word = 1;
  for (std::uint64_t n = 0; n < number; ++n)
    for (const int operation : {FUTEX_WAIT, FUTEX_WAKE}) {
      plan_section(n);
      syscall(SYS_futex, &word, operation, 0, nullptr, nullptr, 0);
      ++all.timed;
      all.call += operation == FUTEX_WAIT ? 100 + n : 0;
    }
}
[[gnu::noinline]] void criticals() {
  for (std::uint64_t n = 0; n < number; ++n) {
    plan_section(n);
#pragma omp critical
    asm volatile("");
  }
}
[[gnu::noinline]] void named_criticals() {
  for (std::uint64_t n = 0; n < number; ++n) {
    plan_section(n);
#pragma omp critical(named)
    asm volatile("");
  }
}
#ifndef __clang__
long double wide = 0;
[[gnu::noinline]] void atomics() {
  for (std::uint64_t n = 0; n < number; ++n) {
    plan_section(n);
#pragma omp atomic
    wide += 1;
  }
}
#endif
/// A chunk is over when the next one is fetched. The second thread comes when none is left.
[[gnu::noinline]] void chunks() {
  std::atomic<bool> none_left = false;
#pragma omp parallel num_threads(2)
  {
    const bool first = omp_get_thread_num() == 0;
    plan(turn, turn + 100);
    while (!first && !none_left) sched_yield();
#pragma omp for schedule(monotonic : dynamic, 1) nowait
    for (std::uint64_t n = 0; n < number; ++n)
      plan((n + 1) * turn + 500 + 3 * n, (n + 2) * turn, (n + 2) * turn + 100 + n + 1);
    if (first) none_left = true;
    plan(0, 0);
  }
}
void sections() {
  pthread_spin_init(&spin, 0);
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest_lock);
  mtx_init(&mtx, mtx_plain);
  int criticals_of_kinds = 2;
  mutexes();
  mtxs();
  nested();
  handed_over();
  tried_again();
  given_up();
  reads();
  writes();
  spins();
  locks();
  nest_locks();
  tested_again();
  criticals();
  named_criticals();
  chunks();
#ifndef __clang__
  atomics();
  ++criticals_of_kinds;
#endif
  const auto print = [](const char* kind, int functions) {
    sums all;
    for (int i = 0; i < functions; ++i) expect_sections(all);
    all.print_calls(kind);
  };
  sums of_futexes;
  futexes(of_futexes);
  of_futexes.print_calls("futex");
  print("mutex_lock", 6);
  print("rwlock_read", 1);
  print("rwlock_write", 1);
  print("spin_lock", 1);
  print("omp_lock", 3);
  print("chunk", 1);
  print("critical", criticals_of_kinds);
}

pthread_barrier_t barrier;
void* wait(void* thread) {
  const int own = thread == nullptr ? 0 : 1;
  for (std::uint64_t n = 0; n < number; ++n) {
    plan(arrival(n, own), leaving(n, own));
    pthread_barrier_wait(&barrier);
  }
  return nullptr;
}

}  // namespace

extern "C" int clock_gettime(clockid_t, timespec* at) noexcept {
  const std::uint64_t now = planned[looks < 4 ? looks++ : 3];
  at->tv_sec = static_cast<time_t>(now / 1'000'000'000);
  at->tv_nsec = static_cast<long>(now % 1'000'000'000);
  return 0;
}

int main(int argc, char** argv) {
  every = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1;
  sums of_regions, of_barriers, of_posix;
  for (std::uint64_t n = 0; n < number; ++n) region(n);
  expect_meetings(of_regions, false);
  for (std::uint64_t n = 0; n < number; n += every) {
    of_regions.fork += called_before - begun_before;
    // The other thread's first begin is before the call: its clock stood at 0.
    if (n > 0) of_regions.fork += called_before - begun_before;
    const std::uint64_t begun = arrival(n, 0) - begun_before;
    of_regions.inside += begun_before + arrival(n, 1) - std::min(n > 0 ? begun : 0, arrival(n, 1));
  }
  barriers();
  expect_meetings(of_barriers, true);
  pthread_barrier_init(&barrier, nullptr, 2);
  pthread_t other;
  pthread_create(&other, nullptr, wait, &other);
  wait(nullptr);
  pthread_join(other, nullptr);
  expect_meetings(of_posix, true);
  of_regions.print("region");
  of_barriers.print("barrier");
  of_posix.print("barrier_wait");
  sections();
}
