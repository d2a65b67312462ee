// A thread that is woken in vain a number of times that it counts itself, and prints; and one whose
// waits all end at once, with an error, while signals are sent.
#include <pthread.h>
#include <time.h>

#include <atomic>
#include <cstdio>

namespace {

constexpr int items = 500, of_them_in_vain = 4;

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t condition = PTHREAD_COND_INITIALIZER, other = PTHREAD_COND_INITIALIZER;
bool is_waiting = false;
int came = 0;
std::atomic<bool> ended = false;

[[gnu::noinline]] int wait_for_items() {
  int in_vain = 0;
  for (int n = 1; n <= items; ++n) {
    pthread_mutex_lock(&mutex);
    for (bool woken = false; came != n; woken = true) {
      in_vain += woken ? 1 : 0;
      is_waiting = true;
      pthread_cond_wait(&condition, &mutex);
    }
    pthread_mutex_unlock(&mutex);
  }
  return in_vain;
}

/// Sends a signal once the other one waits.
void wake(bool with_item) {
  for (bool has_sent = false; !has_sent;) {
    pthread_mutex_lock(&mutex);
    has_sent = is_waiting;
    if (has_sent) {
      is_waiting = false;
      if (with_item) ++came;
    }
    pthread_mutex_unlock(&mutex);
    if (has_sent) pthread_cond_broadcast(&condition);
  }
}

void* send(void*) {
  for (int n = 1; n <= items; ++n) {
    for (int i = 0; i < of_them_in_vain; ++i) wake(false);
    wake(true);
  }
  return nullptr;
}

void* send_all_the_time(void*) {
  while (!ended) pthread_cond_signal(&other);
  return nullptr;
}

[[gnu::noinline]] void wait_for_no_time() {
  pthread_mutex_lock(&mutex);
  for (int n = 0; n < 200'000; ++n) {
    const timespec no_time = {.tv_sec = 1, .tv_nsec = -1};
    if (pthread_cond_timedwait(&other, &mutex, &no_time) == 0) std::puts("a wait for no time");
  }
  pthread_mutex_unlock(&mutex);
}

}  // namespace

int main() {
  pthread_t sender;
  pthread_create(&sender, nullptr, send, nullptr);
  const int in_vain = wait_for_items();
  pthread_join(sender, nullptr);
  pthread_create(&sender, nullptr, send_all_the_time, nullptr);
  wait_for_no_time();
  ended = true;
  pthread_join(sender, nullptr);
  std::printf("%d\n", in_vain);
}
