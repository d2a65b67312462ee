// A thread that is woken in vain a number of times, by std::condition_variable_any, which has a
// lock of its own, without and with a token; and one that takes and gives back another lock behind
// each wait, which is work. Of each it prints its waits, those in vain, and those with such a lock.
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <stop_token>
#include <thread>

namespace {

constexpr int items = 500, of_them_in_vain = 4;

std::mutex mutex, other;
std::condition_variable_any with_own_lock, with_token;
std::condition_variable of_mutex;
bool is_waiting = false;
int came = 0;

/// Whether nothing came; the thread waits then, which `wake` waits for.
bool has_come(int n) {
  is_waiting = came != n;
  return !is_waiting;
}

/// Sends a signal once the other one waits.
void wake(auto& condition, bool with_item) {
  for (bool has_sent = false; !has_sent;) {
    const std::lock_guard held(mutex);
    has_sent = is_waiting;
    if (has_sent) {
      is_waiting = false;
      if (with_item) ++came;
      condition.notify_all();
    }
  }
}

void with(auto& condition, auto wait) {
  came = 0;
  const std::jthread sender([&condition] {
    for (int n = 1; n <= items; ++n) {
      for (int i = 0; i < of_them_in_vain; ++i) wake(condition, false);
      wake(condition, true);
    }
  });
  for (int n = 1; n <= items; ++n) {
    std::unique_lock held(mutex);
    wait(held, n);
  }
}

}  // namespace

int main() {
  constexpr int waits = items * (1 + of_them_in_vain), in_vain = items * of_them_in_vain;
  with(with_own_lock, [](auto& held, int n) {
    while (!has_come(n)) with_own_lock.wait(held);
  });
  std::printf("%d %d %d\n", waits, in_vain, waits - 1);
  std::stop_source source;
  with(with_token, [&](auto& held, int n) {
    with_token.wait(held, source.get_token(), [n] { return has_come(n); });
  });
  std::printf("%d %d %d\n", waits, in_vain, waits - 1);
  with(of_mutex, [](auto& held, int n) {
    while (!has_come(n)) {
      of_mutex.wait(held);
      held.unlock();
      {
        const std::lock_guard work(other);
      }
      held.lock();
    }
  });
  std::printf("%d 0 0\n", waits);
}
