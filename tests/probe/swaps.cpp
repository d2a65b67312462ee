// What POSIX promises of mutexes, conditions and barriers, one case a call: swaps CASE SWAP. With a
// SWAP other than "none" a plain mutex must be swapped, and one that is no plain mutex must not be.
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#define REQUIRE(...)                                                                               \
  do                                                                                               \
    if (!(__VA_ARGS__)) {                                                                          \
      std::fprintf(stderr, "line %d: %s\n", __LINE__, #__VA_ARGS__);                               \
      std::_Exit(1);                                                                               \
    }                                                                                              \
  while (false)

namespace {

std::string swap;
bool is_lock_around() { return swap == "ttas" || swap == "ticket" || swap == "mcs"; }

/// Of a mutex that this thread has: the words that a lock around it uses.
bool has_lock_around(const pthread_mutex_t& mutex) {
  std::uint64_t words[2];
  static_assert(sizeof words == sizeof mutex.__data.__list);
  std::memcpy(words, &mutex.__data.__list, sizeof words);
  return words[0] != 0;
}
void require_swapped(const pthread_mutex_t& mutex) {
  REQUIRE(has_lock_around(mutex) == is_lock_around());
  REQUIRE(((mutex.__data.__kind & 0x7f) == PTHREAD_MUTEX_ADAPTIVE_NP) == (swap == "adaptive"));
}

void in_threads(unsigned threads, const std::function<void(unsigned)>& body) {
  std::vector<std::thread> all;
  for (unsigned t = 0; t < threads; ++t) all.emplace_back(body, t);
  for (std::thread& each : all) each.join();
}

timespec from_now(clockid_t clock, long ms) {
  timespec at{};
  clock_gettime(clock, &at);
  at.tv_nsec += ms * 1'000'000;
  at.tv_sec += at.tv_nsec / 1'000'000'000;
  at.tv_nsec %= 1'000'000'000;
  return at;
}

pthread_mutex_t initialised = PTHREAD_MUTEX_INITIALIZER;
std::mutex of_cpp;

/// Of a mutex that is taken, as the C library has it there.
constexpr int nobody_waits = 1;

/// Every second thread tries first. Few, as a queue of threads that have no processing unit is
/// slow. The mutex itself excludes, too: whoever is inside finds nobody waiting for it where all
/// wait for the lock around it.
void count_under(pthread_mutex_t& mutex, unsigned threads) {
  constexpr unsigned each = 1'000, work = 200;
  volatile unsigned count = 0, inside = 0;
  in_threads(threads, [&](unsigned me) {
    for (unsigned i = 0; i < each; ++i) {
      if (me % 2 == 0 || pthread_mutex_trylock(&mutex) != 0)
        REQUIRE(pthread_mutex_lock(&mutex) == 0);
      REQUIRE(inside == 0);
      inside = 1;
      for (unsigned w = 0; w < work; ++w) count = count + 1;
      inside = 0;
      REQUIRE(!has_lock_around(mutex) || mutex.__data.__lock == nobody_waits);
      REQUIRE(pthread_mutex_unlock(&mutex) == 0);
    }
  });
  REQUIRE(count == threads * each * work);
  REQUIRE(!has_lock_around(mutex) || swap == "ticket");
}

void counts() {
  for (const unsigned threads : {1U, 2U, 4U}) {
    count_under(initialised, threads);
    count_under(*of_cpp.native_handle(), threads);
  }
  pthread_mutex_t made;
  std::memset(&made, 0xff, sizeof made);
  for (const int type : {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_DEFAULT, PTHREAD_MUTEX_ADAPTIVE_NP}) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, type);
    REQUIRE(pthread_mutex_init(&made, &attributes) == 0);
    count_under(made, 3);
    REQUIRE(pthread_mutex_destroy(&made) == 0);
  }
  pthread_mutex_lock(&initialised);
  require_swapped(initialised);
  pthread_mutex_unlock(&initialised);
}

void tries() {
  REQUIRE(pthread_mutex_trylock(&initialised) == 0);
  if (swap != "adaptive") require_swapped(initialised);
  REQUIRE(pthread_mutex_trylock(&initialised) == EBUSY);
  in_threads(1, [](unsigned) {
    REQUIRE(pthread_mutex_trylock(&initialised) == EBUSY);
    const timespec soon = from_now(CLOCK_REALTIME, 20);
    REQUIRE(pthread_mutex_timedlock(&initialised, &soon) == ETIMEDOUT);
    const timespec late = from_now(CLOCK_REALTIME, 0);
    REQUIRE(late.tv_sec > soon.tv_sec ||
            (late.tv_sec == soon.tv_sec && late.tv_nsec >= soon.tv_nsec));
    const timespec then = from_now(CLOCK_MONOTONIC, 20);
    REQUIRE(pthread_mutex_clocklock(&initialised, CLOCK_MONOTONIC, &then) == ETIMEDOUT);
    const timespec wrong{.tv_sec = 0, .tv_nsec = -1};
    REQUIRE(pthread_mutex_timedlock(&initialised, &wrong) == EINVAL);
    REQUIRE(pthread_mutex_clocklock(&initialised, CLOCK_PROCESS_CPUTIME_ID, &soon) == EINVAL);
  });
  REQUIRE(has_lock_around(initialised) == is_lock_around());
  REQUIRE(pthread_mutex_unlock(&initialised) == 0);
  const timespec later = from_now(CLOCK_REALTIME, 10'000);
  REQUIRE(pthread_mutex_timedlock(&initialised, &later) == 0);
  REQUIRE(pthread_mutex_unlock(&initialised) == 0);
  // One that is given back meanwhile.
  pthread_mutex_lock(&initialised);
  std::thread waiter([&] {
    REQUIRE(pthread_mutex_timedlock(&initialised, &later) == 0);
    REQUIRE(pthread_mutex_unlock(&initialised) == 0);
  });
  usleep(5'000);
  REQUIRE(pthread_mutex_unlock(&initialised) == 0);
  waiter.join();
  REQUIRE(pthread_mutex_trylock(&initialised) == 0);
  REQUIRE(pthread_mutex_unlock(&initialised) == 0);
}

pthread_mutex_t* made_of(const std::function<void(pthread_mutexattr_t*)>& set, void* memory) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  set(&attributes);
  auto* const mutex = static_cast<pthread_mutex_t*>(memory);
  REQUIRE(pthread_mutex_init(mutex, &attributes) == 0);
  return mutex;
}

void left_alone() {
  pthread_mutex_t memory;
  pthread_mutex_t* const recursive =
      made_of([](auto* set) { pthread_mutexattr_settype(set, PTHREAD_MUTEX_RECURSIVE); }, &memory);
  for (int i = 0; i < 3; ++i) REQUIRE(pthread_mutex_lock(recursive) == 0);
  REQUIRE(pthread_mutex_trylock(recursive) == 0);
  REQUIRE(!has_lock_around(*recursive));
  in_threads(1, [&](unsigned) { REQUIRE(pthread_mutex_trylock(recursive) == EBUSY); });
  for (int i = 0; i < 4; ++i) REQUIRE(pthread_mutex_unlock(recursive) == 0);
  REQUIRE(pthread_mutex_unlock(recursive) == EPERM);

  pthread_mutex_t* const checking =
      made_of([](auto* set) { pthread_mutexattr_settype(set, PTHREAD_MUTEX_ERRORCHECK); }, &memory);
  REQUIRE(pthread_mutex_lock(checking) == 0 && pthread_mutex_lock(checking) == EDEADLK);
  REQUIRE(!has_lock_around(*checking));
  REQUIRE(pthread_mutex_unlock(checking) == 0 && pthread_mutex_unlock(checking) == EPERM);

  pthread_mutex_t* const robust =
      made_of([](auto* set) { pthread_mutexattr_setrobust(set, PTHREAD_MUTEX_ROBUST); }, &memory);
  in_threads(1, [&](unsigned) { REQUIRE(pthread_mutex_lock(robust) == 0); });
  REQUIRE(pthread_mutex_lock(robust) == EOWNERDEAD);
  REQUIRE(pthread_mutex_consistent(robust) == 0 && pthread_mutex_unlock(robust) == 0);

  pthread_mutex_t* const heir =
      made_of([](auto* set) { pthread_mutexattr_setprotocol(set, PTHREAD_PRIO_INHERIT); }, &memory);
  REQUIRE(pthread_mutex_lock(heir) == 0 && !has_lock_around(*heir));
  REQUIRE(pthread_mutex_unlock(heir) == 0);

  void* const shared_memory =
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pthread_mutex_t* const shared = made_of(
      [](auto* set) { pthread_mutexattr_setpshared(set, PTHREAD_PROCESS_SHARED); }, shared_memory);
  REQUIRE(pthread_mutex_lock(shared) == 0 && !has_lock_around(*shared));
  auto& tried = *reinterpret_cast<volatile bool*>(shared + 1);
  const pid_t child = fork();
  if (child == 0) {
    const bool excluded = pthread_mutex_trylock(shared) == EBUSY;
    tried = true;
    _exit(excluded && pthread_mutex_lock(shared) == 0 && pthread_mutex_unlock(shared) == 0 ? 0 : 1);
  }
  while (!tried) sched_yield();
  REQUIRE(pthread_mutex_unlock(shared) == 0);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child && status == 0);
}

/// Items pass from threads to threads through a place for one.
void conditions() {
  constexpr unsigned pairs = 2, each = 200;
  std::mutex mutex;
  std::condition_variable filled, empty;
  unsigned place = 0, sum = 0, got = 0;
  in_threads(2 * pairs, [&](unsigned me) {
    for (unsigned i = 1; i <= each; ++i) {
      std::unique_lock lock(mutex);
      if (me % 2 == 0) {
        empty.wait(lock, [&] { return place == 0; });
        place = i;
        filled.notify_one();
      } else {
        filled.wait(lock, [&] { return place != 0; });
        sum += place;
        ++got;
        place = 0;
        empty.notify_one();
      }
    }
  });
  REQUIRE(got == pairs * each && sum == pairs * each * (each + 1) / 2);

  pthread_cond_t never = PTHREAD_COND_INITIALIZER;
  REQUIRE(pthread_mutex_lock(&initialised) == 0);
  const timespec soon = from_now(CLOCK_REALTIME, 10), then = from_now(CLOCK_MONOTONIC, 20);
  REQUIRE(pthread_cond_timedwait(&never, &initialised, &soon) == ETIMEDOUT);
  require_swapped(initialised);
  REQUIRE(pthread_cond_clockwait(&never, &initialised, CLOCK_MONOTONIC, &then) == ETIMEDOUT);
  require_swapped(initialised);
  const timespec wrong{.tv_sec = 0, .tv_nsec = -1};
  REQUIRE(pthread_cond_timedwait(&never, &initialised, &wrong) == EINVAL);
  require_swapped(initialised);
  in_threads(1, [](unsigned) { REQUIRE(pthread_mutex_trylock(&initialised) == EBUSY); });
  REQUIRE(pthread_mutex_unlock(&initialised) == 0);
  count_under(initialised, 3);

  // While a thread waits for a signal others take the mutex.
  volatile bool waits = false;
  bool goes_on = false;
  std::thread waiter([&] {
    REQUIRE(pthread_mutex_lock(&initialised) == 0);
    waits = true;
    while (!goes_on) REQUIRE(pthread_cond_wait(&never, &initialised) == 0);
    require_swapped(initialised);
    REQUIRE(pthread_mutex_unlock(&initialised) == 0);
  });
  while (!waits) sched_yield();
  REQUIRE(pthread_mutex_lock(&initialised) == 0);
  goes_on = true;
  REQUIRE(pthread_cond_broadcast(&never) == 0 && pthread_mutex_unlock(&initialised) == 0);
  waiter.join();
}

pthread_cond_t unheard = PTHREAD_COND_INITIALIZER;

void cancelled() {
  static volatile bool waits = false;
  pthread_t thread;
  pthread_create(
      &thread, nullptr,
      [](void*) -> void* {
        pthread_mutex_lock(&initialised);
        pthread_cleanup_push(
            [](void*) {
              require_swapped(initialised);
              REQUIRE(pthread_mutex_unlock(&initialised) == 0);
            },
            nullptr);
        waits = true;
        for (;;) pthread_cond_wait(&unheard, &initialised);
        pthread_cleanup_pop(1);
      },
      nullptr);
  while (!waits) sched_yield();
  pthread_mutex_lock(&initialised);
  pthread_mutex_unlock(&initialised);
  pthread_cancel(thread);
  void* result = nullptr;
  REQUIRE(pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED);
  count_under(initialised, 3);
}

/// A child has the mutex that its parent had, and none of the threads that wait for it.
void forked() {
  REQUIRE(pthread_mutex_lock(&initialised) == 0);
  volatile unsigned waiting = 0;
  std::vector<std::thread> waiters;
  for (int t = 0; t < 2; ++t)
    waiters.emplace_back([&] {
      __atomic_fetch_add(&waiting, 1, __ATOMIC_RELAXED);
      REQUIRE(pthread_mutex_lock(&initialised) == 0);
      REQUIRE(pthread_mutex_unlock(&initialised) == 0);
    });
  while (waiting < 2) sched_yield();
  usleep(20'000);
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    REQUIRE(pthread_mutex_unlock(&initialised) == 0);
    for (const unsigned threads : {1U, 2U}) {
      count_under(*of_cpp.native_handle(), threads);
      REQUIRE(pthread_mutex_lock(&initialised) == 0 && pthread_mutex_unlock(&initialised) == 0);
    }
    _exit(0);
  }
  REQUIRE(pthread_mutex_unlock(&initialised) == 0);
  for (std::thread& each : waiters) each.join();
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child && status == 0);
  count_under(initialised, 2);
}

/// As a daemon begins: before any thread was created, so that the child has all that its parent
/// had.
void daemon_begins() {
  REQUIRE(pthread_mutex_lock(&initialised) == 0);
  for (int generation = 0; generation < 2; ++generation) {
    const pid_t child = fork();
    if (child != 0) {
      int status = 0;
      REQUIRE(waitpid(child, &status, 0) == child);
      _exit(status == 0 ? 0 : 1);
    }
  }
  alarm(20);
  require_swapped(initialised);
  REQUIRE(pthread_mutex_unlock(&initialised) == 0);
  count_under(initialised, 3);
  count_under(*of_cpp.native_handle(), 2);
  REQUIRE(pthread_mutex_lock(&initialised) == 0);
  require_swapped(initialised);
  REQUIRE(pthread_mutex_unlock(&initialised) == 0);
  std::puts("as promised");
  std::fflush(stdout);
  _exit(0);
}

/// The last of two to have a mutex frees its memory, while the other one may still be about to
/// leave it.
void freed() {
  struct guarded {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    int users = 2;
  };
  constexpr int rounds = 1'000;
  std::vector<guarded*> all;
  for (int i = 0; i < rounds; ++i) all.push_back(new guarded);
  in_threads(2, [&](unsigned) {
    for (guarded* const each : all) {
      pthread_mutex_lock(&each->mutex);
      const bool last = --each->users == 0;
      pthread_mutex_unlock(&each->mutex);
      if (!last) continue;
      REQUIRE(pthread_mutex_destroy(&each->mutex) == 0);
      std::memset(&each->mutex, 0x55, sizeof each->mutex);
    }
  });
  for (const guarded* const each : all) {
    for (const unsigned char byte :
         reinterpret_cast<const unsigned char(&)[sizeof each->mutex]>(each->mutex))
      REQUIRE(byte == 0x55);
    delete each;
  }
}

/// Taken by one thread, which ends, and given back by another one.
void handed_over() {
  in_threads(1, [](unsigned) { REQUIRE(pthread_mutex_lock(&initialised) == 0); });
  static volatile bool begins = false;
  std::thread waiter([] {
    begins = true;
    REQUIRE(pthread_mutex_lock(&initialised) == 0);
  });
  while (!begins) sched_yield();
  usleep(20'000);
  REQUIRE(!is_lock_around() || initialised.__data.__lock == nobody_waits);
  REQUIRE(pthread_mutex_unlock(&initialised) == 0);
  waiter.join();
  REQUIRE(pthread_mutex_trylock(&initialised) == EBUSY);
  REQUIRE(pthread_mutex_unlock(&initialised) == 0);
  count_under(initialised, 2);
}

bool is_spinning_barrier(const pthread_barrier_t& barrier) {
  unsigned words[8];
  std::memcpy(words, &barrier, sizeof words);
  return words[7] == 0x5a11ba22;
}

void meet(unsigned threads, int rounds) {
  std::vector<int> at(threads);
  int serial = 0;
  pthread_barrier_t barrier;
  REQUIRE(pthread_barrier_init(&barrier, nullptr, threads) == 0);
  REQUIRE(is_spinning_barrier(barrier) == (swap == "barrier"));
  in_threads(threads, [&](unsigned me) {
    for (int round = 1; round <= rounds; ++round) {
      __atomic_store_n(&at[me], round, __ATOMIC_RELAXED);
      const int result = pthread_barrier_wait(&barrier);
      REQUIRE(result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD);
      if (result != 0) __atomic_fetch_add(&serial, 1, __ATOMIC_RELAXED);
      for (const int& other : at) {
        const int there = __atomic_load_n(&other, __ATOMIC_RELAXED);
        REQUIRE(there == round || there == round + 1);
      }
    }
  });
  REQUIRE(serial == rounds);
  REQUIRE(pthread_barrier_destroy(&barrier) == 0);
}

void barriers() {
  meet(1, 100);
  meet(2, 1'000);
  meet(5, 100);
  in_threads(2, [](unsigned) { meet(2, 100); });
  // One comes late.
  pthread_barrier_t rare;
  pthread_barrier_init(&rare, nullptr, 3);
  in_threads(3, [&](unsigned me) {
    if (me == 0) usleep(50'000);
    pthread_barrier_wait(&rare);
  });
  pthread_barrier_destroy(&rare);
  pthread_barrier_t none;
  REQUIRE(pthread_barrier_init(&none, nullptr, 0) == EINVAL);

  // One that is destroyed as soon as a thread has come out of it, many times in the same memory.
  for (int i = 0; i < 500; ++i) {
    pthread_barrier_t once;
    pthread_barrier_init(&once, nullptr, 2);
    std::thread other([&] {
      if (pthread_barrier_wait(&once) != 0) pthread_barrier_destroy(&once);
    });
    const bool last = pthread_barrier_wait(&once) != 0;
    if (last) pthread_barrier_destroy(&once);
    other.join();
  }
  // More than there is room for, and then as many as before.
  constexpr unsigned many = 1'500;
  std::vector<pthread_barrier_t> all(many);
  for (int turn = 0; turn < 2; ++turn) {
    for (pthread_barrier_t& each : all) {
      REQUIRE(pthread_barrier_init(&each, nullptr, 1) == 0);
      REQUIRE(pthread_barrier_wait(&each) == PTHREAD_BARRIER_SERIAL_THREAD);
    }
    for (pthread_barrier_t& each : all) REQUIRE(pthread_barrier_destroy(&each) == 0);
  }
  meet(2, 10);

  pthread_barrierattr_t attributes;
  pthread_barrierattr_init(&attributes);
  pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  auto* const shared = static_cast<pthread_barrier_t*>(
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  REQUIRE(pthread_barrier_init(shared, &attributes, 2) == 0 && !is_spinning_barrier(*shared));
  const pid_t child = fork();
  if (child == 0) {
    pthread_barrier_wait(shared);
    _exit(0);
  }
  pthread_barrier_wait(shared);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child && status == 0);
}

}  // namespace

int main(int, char** arguments) {
  static const std::map<std::string, void (*)()> cases{
      {"counts", counts},         {"tries", tries},         {"left_alone", left_alone},
      {"conditions", conditions}, {"cancelled", cancelled}, {"forked", forked},
      {"daemon", daemon_begins},  {"freed", freed},         {"handed_over", handed_over},
      {"barriers", barriers}};
  swap = arguments[2];
  const std::string name = arguments[1];
  if (name == "exec") {
    execl(arguments[0], arguments[0], "counts", arguments[2], nullptr);
    return 1;
  }
  cases.at(name)();
  std::puts("as promised");
}
