// Locks that spin, each in the 16 bytes that a pthread_mutex_t of the C library has for a list of
// robust mutexes and leaves 0 in all others: a static initialiser makes them, and nothing is
// allocated. Each is held around the mutex itself, so that a wait for a signal can give back the
// mutex, and code that does not come here is still excluded.
#pragma once

#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace syncmeter::probe {

/// A thread that waits for another one, which may have no processing unit: then it gives its own
/// away from time to time.
class spin_wait {
 public:
  void pause(unsigned times = 1) {
    for (unsigned i = 0; i < times; ++i) {
#if defined(__x86_64__)
      __builtin_ia32_pause();
#elif defined(__aarch64__)
      asm volatile("isb" ::: "memory");
#endif
    }
    spun_ += times;
    if (spun_ < most_spins) return;
    spun_ = most_spins - between_yields;
    ::syscall(SYS_sched_yield);
  }

 private:
  static constexpr unsigned most_spins = 4096, between_yields = 64;
  unsigned spun_ = 0;
};

struct lock_words {
  std::uint64_t first, second;
};

/// Test-and-test-and-set, with a pause after each defeat that is twice as long as the one before.
struct ttas_lock {
  static bool try_take(lock_words& lock) {
    return is_taken(lock) ? false : __atomic_exchange_n(&lock.first, 1, __ATOMIC_ACQUIRE) == 0;
  }
  static void take(lock_words& lock) {
    constexpr unsigned longest = 1024;
    spin_wait wait;
    for (unsigned pauses = 4; !try_take(lock);) {
      wait.pause(pauses);
      if (pauses < longest) pauses *= 2;
      while (is_taken(lock)) wait.pause();
    }
  }
  static bool is_taken(const lock_words& lock) {
    return __atomic_load_n(&lock.first, __ATOMIC_RELAXED) != 0;
  }
  static void give_back(lock_words& lock) { __atomic_store_n(&lock.first, 0, __ATOMIC_RELEASE); }
};

/// First come, first served: all watch the number that is served, the longer ahead the less often.
struct ticket_lock {
  static bool try_take(lock_words& lock) {
    std::uint32_t served = __atomic_load_n(&tickets(lock)[1], __ATOMIC_ACQUIRE);
    return __atomic_compare_exchange_n(&tickets(lock)[0], &served, served + 1, false,
                                       __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
  }
  static void take(lock_words& lock) {
    constexpr unsigned pauses_each = 8;
    const std::uint32_t own = __atomic_fetch_add(&tickets(lock)[0], 1, __ATOMIC_RELAXED);
    spin_wait wait;
    while (const std::uint32_t before = own - __atomic_load_n(&tickets(lock)[1], __ATOMIC_ACQUIRE))
      wait.pause(before * pauses_each);
  }
  static bool is_taken(lock_words& lock) {
    return __atomic_load_n(&tickets(lock)[0], __ATOMIC_RELAXED) !=
           __atomic_load_n(&tickets(lock)[1], __ATOMIC_RELAXED);
  }
  static void give_back(lock_words& lock) {
    // The holder alone writes it.
    const std::uint32_t served = __atomic_load_n(&tickets(lock)[1], __ATOMIC_RELAXED);
    __atomic_store_n(&tickets(lock)[1], served + 1, __ATOMIC_RELEASE);
  }

 private:
  static std::uint32_t* tickets(lock_words& lock) {
    return reinterpret_cast<std::uint32_t*>(&lock.first);
  }
};

/// The queue of Mellor-Crummey and Scott in the variant K42 (Scott, Shared-Memory Synchronization,
/// 2013, figure 4.14): each waits on its own stack, and whoever has the lock needs no place, so
/// that another thread may give it back, and the thread that took it may end. `first` is the last
/// of the queue, the lock itself where nobody waits, and 0 where it is free; `second` is the first
/// that waits.
struct mcs_lock {
  static bool try_take(lock_words& lock) {
    std::uint64_t nobody = 0;
    return __atomic_compare_exchange_n(&lock.first, &nobody, address_of(lock), false,
                                       __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
  }
  static void take(lock_words& lock) {
    while (!try_take(lock)) {
      std::uint64_t last = __atomic_load_n(&lock.first, __ATOMIC_ACQUIRE);
      lock_words own{.first = waits, .second = 0};
      if (last == 0 || !__atomic_compare_exchange_n(&lock.first, &last, address_of(own), false,
                                                    __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        continue;
      __atomic_store_n(&at(last).second, address_of(own), __ATOMIC_RELEASE);
      spin_wait wait;
      while (__atomic_load_n(&own.first, __ATOMIC_ACQUIRE) == waits) wait.pause();
      leave_queue(lock, own);
      return;
    }
  }
  static bool is_taken(const lock_words& lock) {
    return __atomic_load_n(&lock.first, __ATOMIC_RELAXED) != 0;
  }
  static void give_back(lock_words& lock) {
    std::uint64_t next = __atomic_load_n(&lock.second, __ATOMIC_ACQUIRE);
    if (next == 0) {
      std::uint64_t expected = address_of(lock);
      if (__atomic_compare_exchange_n(&lock.first, &expected, 0, false, __ATOMIC_ACQ_REL,
                                      __ATOMIC_RELAXED))
        return;
      next = follower_of(lock);
    }
    __atomic_store_n(&at(next).first, 0, __ATOMIC_RELEASE);
  }

 private:
  static constexpr std::uint64_t waits = 1;
  static std::uint64_t address_of(lock_words& words) {
    return reinterpret_cast<std::uint64_t>(&words);
  }
  static lock_words& at(std::uint64_t address) { return *reinterpret_cast<lock_words*>(address); }
  /// Who stands behind these, as soon as it has left its address here.
  static std::uint64_t follower_of(lock_words& words) {
    spin_wait wait;
    std::uint64_t next = 0;
    while ((next = __atomic_load_n(&words.second, __ATOMIC_ACQUIRE)) == 0) wait.pause();
    return next;
  }
  /// The lock stands in its place from here on.
  static void leave_queue(lock_words& lock, lock_words& own) {
    std::uint64_t next = __atomic_load_n(&own.second, __ATOMIC_ACQUIRE);
    if (next == 0) {
      __atomic_store_n(&lock.second, 0, __ATOMIC_RELAXED);
      std::uint64_t expected = address_of(own);
      if (__atomic_compare_exchange_n(&lock.first, &expected, address_of(lock), false,
                                      __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        return;
      next = follower_of(own);
    }
    __atomic_store_n(&lock.second, next, __ATOMIC_RELEASE);
  }
};

}  // namespace syncmeter::probe
