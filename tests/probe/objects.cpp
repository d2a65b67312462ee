// Locks of which each acquisition is planned: who takes which, in turn with whom, and for how long.
// Prints for each lock "KIND ACQUISITIONS OWNER_CHANGES SITES", and of locks that are held
// "HELD_NS" by the program's own clock.
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <time.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <thread>

namespace {

constexpr int rounds = 500;

std::int64_t now() {
  timespec at{};
  clock_gettime(CLOCK_MONOTONIC, &at);
  return at.tv_sec * std::int64_t{1'000'000'000} + at.tv_nsec;
}
void work(std::int64_t ns) {
  for (const std::int64_t begun = now(); now() - begun < ns;) {
  }
}

/// Two threads that go on in turn: each waits for the other's post.
sem_t turns[2];
template <class Body> void in_turn(const Body& body) {
  sem_init(&turns[0], 0, 1);
  sem_init(&turns[1], 0, 0);
  const auto run = [&](int own) {
    for (int i = 0; i < rounds; ++i) {
      sem_wait(&turns[own]);
      body(own, i);
      sem_post(&turns[1 - own]);
    }
  };
  std::thread other(run, 1);
  run(0);
  other.join();
}

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, runs = PTHREAD_MUTEX_INITIALIZER;
pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
pthread_spinlock_t spin;

[[gnu::noinline]] void take() {
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
}
[[gnu::noinline]] void take_elsewhere() {
  pthread_mutex_lock(&mutex);
  // So that the compiler keeps both.
  asm volatile("nop");
  pthread_mutex_unlock(&mutex);
}
[[gnu::noinline]] void spin_once() {
  pthread_spin_lock(&spin);
  pthread_spin_unlock(&spin);
}
[[gnu::noinline]] void read_once() {
  pthread_rwlock_rdlock(&rwlock);
  pthread_rwlock_unlock(&rwlock);
}
[[gnu::noinline]] void write_once() {
  pthread_rwlock_wrlock(&rwlock);
  pthread_rwlock_unlock(&rwlock);
}

void alternate() {
  pthread_spin_init(&spin, 0);
  in_turn([](int own, int i) {
    // From another site each second time.
    if (i % 2 == 0) take();
    else take_elsewhere();
    // Five by the one, then five by the other.
    if (i % 5 == 0)
      for (int n = 0; n < 5; ++n) spin_once();
    // One thread reads, the other writes every tenth time.
    if (own == 0) read_once();
    else if (i % 10 == 0) write_once();
  });
  std::printf("mutex %d %d 2\n", 2 * rounds, 2 * rounds - 1);
  std::printf("spin %d %d 1\n", 2 * rounds, 2 * (rounds / 5) - 1);
  // The last read after the last write goes back to the first thread.
  std::printf("rwlock %d %d 2\n", rounds + rounds / 10, 2 * (rounds / 10));
}

/// One place in memory is many locks in turn.
void reuse() {
  pthread_mutex_t one;
  for (int n = 1; n <= 3; ++n) {
    pthread_mutex_init(&one, nullptr);
    for (int i = 0; i < 10 * n; ++i) {
      pthread_mutex_lock(&one);
      pthread_mutex_unlock(&one);
    }
    pthread_mutex_destroy(&one);
    std::printf("mutex %d 0 1\n", 10 * n);
  }
}

/// More locks than the table has room for.
void many() {
  constexpr int number = 6000;
  static pthread_mutex_t all[number];
  for (auto& each : all) {
    pthread_mutex_lock(&each);
    pthread_mutex_unlock(&each);
  }
}

void hold(std::int64_t ns, int times) {
  std::int64_t held = 0;
  for (int i = 0; i < times; ++i) {
    pthread_mutex_lock(&mutex);
    const std::int64_t begun = now();
    work(ns);
    held += now() - begun;
    pthread_mutex_unlock(&mutex);
  }
  std::printf("mutex %d 0 1 %ld\n", times, held);
}

/// By glibc's mark of a mutex that a thread waits for.
bool is_waited_for() { return *static_cast<volatile int*>(&mutex.__data.__lock) == 2; }

/// Each fourth time the one calls while the other holds the lock, and else when it is free.
void contend() {
  sem_t called, done;
  sem_init(&called, 0, 0);
  sem_init(&done, 0, 0);
  std::thread other([&] {
    for (int i = 0; i < rounds; ++i) {
      sem_wait(&called);
      pthread_mutex_lock(&mutex);
      pthread_mutex_unlock(&mutex);
      sem_post(&done);
    }
  });
  for (int i = 0; i < rounds; ++i) {
    const bool busy = i % 4 == 0;
    if (busy) pthread_mutex_lock(&runs);
    if (busy) pthread_mutex_lock(&mutex);
    sem_post(&called);
    if (busy) {
      while (!is_waited_for()) sched_yield();
      timespec soon{0, 1'000'000};
      nanosleep(&soon, nullptr);
      pthread_mutex_unlock(&mutex);
      pthread_mutex_unlock(&runs);
    }
    sem_wait(&done);
  }
  other.join();
  std::printf("waited %d\n", rounds / 4);
}

}  // namespace

int main(int, char** argv) {
  const auto is = [&](const char* mode) { return std::strcmp(argv[1], mode) == 0; };
  if (is("alternate")) alternate();
  if (is("reuse")) reuse();
  if (is("many")) many();
  if (is("short")) hold(100'000, 2000);
  if (is("long")) hold(1'000'000, 200);
  if (is("contend")) contend();
}
