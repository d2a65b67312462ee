// A barrier of threads, of one kind that a macro chooses: a mutex with a condition variable, of
// POSIX (-DPOSIX), or an atomic counter whose last arrival reverses the sense (-DATOMIC).
#pragma once

#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <condition_variable>
#include <mutex>

#if defined(ATOMIC)
class meeting {
 public:
  explicit meeting(unsigned threads) : threads_(threads), missing_(threads) {}
  void wait() {
    // No thread can reverse it until this one has arrived.
    const bool before = sense_.load(std::memory_order_relaxed);
    if (missing_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      missing_.store(threads_, std::memory_order_relaxed);
      sense_.store(!before, std::memory_order_release);
      return;
    }
    for (long spins = 1; sense_.load(std::memory_order_acquire) == before; ++spins)
      if (spins % 2'000 == 0) sched_yield();
  }

 private:
  const unsigned threads_;
  alignas(128) std::atomic<unsigned> missing_;
  alignas(128) std::atomic<bool> sense_ = false;
};
#elif defined(POSIX)
class meeting {
 public:
  explicit meeting(unsigned threads) { pthread_barrier_init(&barrier_, nullptr, threads); }
  ~meeting() { pthread_barrier_destroy(&barrier_); }
  meeting(const meeting&) = delete;
  meeting& operator=(const meeting&) = delete;
  void wait() { pthread_barrier_wait(&barrier_); }

 private:
  pthread_barrier_t barrier_;
};
#else
class meeting {
 public:
  explicit meeting(unsigned threads) : threads_(threads), missing_(threads) {}
  void wait() {
    std::unique_lock lock(mutex_);
    const unsigned long turn = turn_;
    if (--missing_ == 0) {
      missing_ = threads_;
      ++turn_;
      all_here_.notify_all();
      return;
    }
    all_here_.wait(lock, [&] { return turn_ != turn; });
  }

 private:
  const unsigned threads_;
  std::mutex mutex_;
  std::condition_variable all_here_;
  unsigned missing_;
  unsigned long turn_ = 0;
};
#endif
