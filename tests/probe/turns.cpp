// Two threads that take turns, by what the argument names: signals and a queue with room for one
// item, an ordered part that is the whole of a loop, a variable polled with sched_yield,
// semaphores, or a futex, at which they sleep at once; eight threads that are all woken for each
// turn of one; four that take an interpreter in turn; or a thread for each piece of work.
#include <linux/futex.h>
#include <omp.h>
#include <sched.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace {

constexpr int items = 20'000;

void work(long turns) {
  for (long i = 0; i < turns; ++i) asm volatile("" : "+r"(i));
}

void both(const std::function<void()>& one, const std::function<void()>& other) {
  std::thread first(one), second(other);
  first.join();
  second.join();
}

// Signals are sent behind the release.
void handoffs() {
  std::mutex mutex;
  std::condition_variable filled, emptied;
  bool full = false;
  const auto pass = [&](bool from, std::condition_variable& came, std::condition_variable& went) {
    for (int i = 0; i < items; ++i) {
      {
        std::unique_lock held(mutex);
        came.wait(held, [&] { return full == from; });
        full = !from;
      }
      went.notify_one();
      work(1000);
    }
  };
  both([&] { pass(false, emptied, filled); }, [&] { pass(true, filled, emptied); });
}

void ordered() {
#pragma omp parallel for num_threads(2) ordered schedule(static, 1)
  for (int i = 0; i < items; ++i) {
#pragma omp ordered
    work(3000);
  }
}

void yields() {
  std::atomic<int> turn = 0;
  const auto pass = [&](int own) {
    for (int i = 0; i < items; ++i) {
      while (turn != own) sched_yield();
      work(500);
      turn = 1 - own;
    }
  };
  both([&] { pass(0); }, [&] { pass(1); });
}

void semaphores() {
  sem_t filled, emptied;
  sem_init(&filled, 0, 0);
  sem_init(&emptied, 0, 0);
  // Each call waits for what the other thread does between its own two.
  both(
      [&] {
        for (int i = 0; i < items; ++i) {
          work(500);
          sem_post(&filled);
          sem_wait(&emptied);
        }
      },
      [&] {
        for (int i = 0; i < items; ++i) {
          sem_wait(&filled);
          work(500);
          sem_post(&emptied);
        }
      });
}

void futexes() {
  std::atomic<int> turn = 0;
  const auto pass = [&](int own) {
    for (int i = 0; i < items / 10; ++i) {
      while (turn != own)
        syscall(SYS_futex, &turn, FUTEX_WAIT_PRIVATE, 1 - own, nullptr, nullptr, 0);
      work(500);
      turn = 1 - own;
      syscall(SYS_futex, &turn, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
    }
  };
  both([&] { pass(0); }, [&] { pass(1); });
}

// Each thread has its own turn, and there is one condition for all.
void broadcasts() {
  constexpr int crowd = 8;
  std::mutex mutex;
  std::condition_variable changed;
  int turn = 0;
  const auto pass = [&](int own) {
    for (int i = own; i < items / 4; i += crowd) {
      {
        std::unique_lock held(mutex);
        changed.wait(held, [&] { return turn == i; });
        ++turn;
      }
      changed.notify_all();
    }
  };
  std::vector<std::jthread> all;
  for (int own = 0; own < crowd; ++own) all.emplace_back(pass, own);
}

/// The one that hands it over has the name of CPython's.
struct {
  std::mutex mutex;
  std::condition_variable free;
  bool is_taken = false;

  [[gnu::noinline]] void take() {
    std::unique_lock held(mutex);
    free.wait(held, [this] { return !is_taken; });
    is_taken = true;
  }
} runtime;

extern "C" [[gnu::noinline]] void drop_gil() {
  const std::lock_guard held(runtime.mutex);
  runtime.is_taken = false;
  runtime.free.notify_one();
}

void python() {
  std::vector<std::jthread> all;
  for (int thread = 0; thread < 4; ++thread)
    all.emplace_back([] {
      for (int i = 0; i < 500; ++i) {
        runtime.take();
        work(100'000);
        drop_gil();
      }
    });
}

void threads() {
  for (int i = 0; i < 2'000; ++i) std::thread(work, 500).join();
}

}  // namespace

int main(int, char** arguments) {
  const char* const chosen = arguments[1];
  if (std::strcmp(chosen, "handoffs") == 0) handoffs();
  else if (std::strcmp(chosen, "ordered") == 0) ordered();
  else if (std::strcmp(chosen, "yields") == 0) yields();
  else if (std::strcmp(chosen, "semaphores") == 0) semaphores();
  else if (std::strcmp(chosen, "futexes") == 0) futexes();
  else if (std::strcmp(chosen, "broadcasts") == 0) broadcasts();
  else if (std::strcmp(chosen, "python") == 0) python();
  else threads();
  std::puts("done");
}
