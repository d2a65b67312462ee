// A program with a clock of its own, which the probe reads in place of the system's: when a thread
// begins to wait for a signal, when that is sent, and when the thread has the lock again is
// planned. Prints "KIND TIMED UNTIL_SIGNAL AFTER_SIGNAL HELD UNDER_LOCK" for waits and signals, and
// for the lock "KIND TIMED HELD" over both threads.
#include <pthread.h>
#include <threads.h>
#include <time.h>

#include <atomic>
#include <cstdint>
#include <cstdio>

namespace {

constexpr std::uint64_t number = 400, turn = 1'000'000'000;

/// What the next looks at the clock show, in this thread.
thread_local std::uint64_t planned[8] = {};
thread_local int looks = 0;
template <class... Times> void plan(Times... times) {
  looks = 0;
  int at = 0;
  ((planned[at++] = times), ...);
}

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
std::atomic<std::uint64_t> waiting{0};
std::uint64_t signalled = 0;

[[gnu::noinline]] void wait_for(std::uint64_t n) {
  const std::uint64_t at = n * turn;
  // The call for the lock, its return; the end of that section, the begin of the wait; its return,
  // the release.
  plan(at, at + 10, at + 110, at + 120, at + 5000 + 3 * n, at + 9000 + 5 * n);
  pthread_mutex_lock(&mutex);
  waiting = n;
  while (signalled != n) pthread_cond_wait(&condition, &mutex);
  pthread_mutex_unlock(&mutex);
}

[[gnu::noinline]] void signal(std::uint64_t n) {
  while (waiting != n) {
  }
  const std::uint64_t at = n * turn;
  const bool under_lock = n % 4 == 0;
  if (under_lock) plan(at + 1000, at + 1500, at + 4000 + n, at + 4500);
  else plan(at + 1000, at + 1500, at + 3500, at + 4000 + n);
  pthread_mutex_lock(&mutex);
  signalled = n;
  if (under_lock) pthread_cond_signal(&condition);
  pthread_mutex_unlock(&mutex);
  if (!under_lock) pthread_cond_broadcast(&condition);
}

void* signal_all(void*) {
  for (std::uint64_t n = 1; n <= number; ++n) signal(n);
  return nullptr;
}

}  // namespace

extern "C" int clock_gettime(clockid_t, timespec* at) noexcept {
  const std::uint64_t now = planned[looks < 7 ? looks++ : 7];
  at->tv_sec = static_cast<time_t>(now / 1'000'000'000);
  at->tv_nsec = static_cast<long>(now % 1'000'000'000);
  return 0;
}

int main() {
  pthread_t other;
  pthread_create(&other, nullptr, signal_all, nullptr);
  for (std::uint64_t n = 1; n <= number; ++n) wait_for(n);
  pthread_join(other, nullptr);
  std::uint64_t until_signal = 0, after_signal = 0, held_after_wait = 0, held = 0;
  for (std::uint64_t n = 1; n <= number; ++n) {
    until_signal += 4000 + n - 120;
    after_signal += 5000 + 3 * n - (4000 + n);
    held_after_wait += 9000 + 5 * n - (5000 + 3 * n);
    held += 100 + (n % 4 == 0 ? 3000 : 2000);
  }
  std::printf("cond_wait %lu %lu %lu %lu 0\n", number, until_signal, after_signal, held_after_wait);
  std::printf("signal %lu 0 0 0 %lu\n", number, number / 4);
  std::printf("mutex_lock %lu %lu\n", 2 * number, held);
}
