// The lane of C++20 threads: every word is the standard library's function, without additions. Also
// the objects that lanes share besides cells.
#pragma once

#include <atomic>
#include <barrier>
#include <bit>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <shared_mutex>

#include "backends/std/std_atomics.hpp"
#include "core/host/lateness.hpp"
#include "core/host/teams.hpp"

namespace syncmeter::standard {

// Calls for words that are a whole library algorithm: both sides of a loop must have the same code,
// however the compiler optimizes copies. std_calls.cpp defines these functions.
void arrive_and_wait(std::barrier<>& all);

/// Waits until `box` holds `expected`, by std::atomic_ref::wait (acquire).
void wait_for_token(std::uint64_t& box, std::uint64_t expected);
/// Puts `token` into `box` (release) and wakes the waiting lane.
void post_token(std::uint64_t& box, std::uint64_t token);

/// A fair lock: threads enter in the order of their numbers. Both numbers share a line, like in a
/// compact lock.
struct ticket_lock {
  std::atomic<std::uint32_t> next{0};
  std::atomic<std::uint32_t> serving{0};
};

/// Locks for a cell. Separate lines prevent coupling by adjacent-line prefetch.
struct lock_set {
  alignas(128) std::mutex mutex;
  alignas(128) std::shared_mutex shared_mutex;
  alignas(128) std::atomic_flag spin_lock;
  alignas(128) ticket_lock tickets;
};

/// The library's own objects in a worker.
struct shared_objects {
  explicit shared_objects(wait_policy waiting) : team{waiting} {}

  /// Makes the barrier for `lanes` lanes, and locks for as many cells. No lane may wait at the
  /// barrier.
  void fit(unsigned lanes) {
    while (locks.size() < lanes) locks.emplace_back();
    if (lanes_ == lanes) return;
    barrier.emplace(static_cast<std::ptrdiff_t>(lanes));
    lanes_ = lanes;
  }

  thread_team team;
  alignas(128) std::optional<std::barrier<>> barrier;
  std::deque<lock_set> locks;  // by cell, a deque keeps addresses when growing

 private:
  alignas(128) unsigned lanes_ = 0;
};

template <class T, order O>
class lane : public atomic_words<T, O>, public late_words, public ring_words {
 public:
  explicit lane(const lane_setup& s)
      : atomic_words<T, O>{s}, late_words{s}, ring_words{s},
        locks_{&static_cast<shared_objects*>(s.backend)->locks[s.cell_index]},
        barrier_{&*static_cast<shared_objects*>(s.backend)->barrier} {}

  SM_FN void barrier() const { arrive_and_wait(*barrier_); }

  SM_FN void critical_add(T& x, T by) const {
    const auto kept = through_calls(by);
    const std::lock_guard section{locks_->mutex};
    add(x, std::bit_cast<T>(kept));
  }
  SM_FN void lock_add(T& x, T by) const {
    const auto kept = through_calls(by);
    locks_->mutex.lock();
    add(x, std::bit_cast<T>(kept));
    locks_->mutex.unlock();
  }
  SM_FN void shared_mutex_add(T& x, T by) const {
    const auto kept = through_calls(by);
    const std::lock_guard section{locks_->shared_mutex};
    add(x, std::bit_cast<T>(kept));
  }
  SM_FN T shared_mutex_read(T& x) const {
    const std::shared_lock section{locks_->shared_mutex};
    return this->plain_read(x);
  }
  // Spins on reads and retries only if the lock looked free, to keep the line shared.
  SM_FN void spin_lock_add(T& x, T by) const {
    auto& lock = locks_->spin_lock;
    while (lock.test_and_set(std::memory_order_acquire)) {
      while (lock.test(std::memory_order_relaxed)) {
      }
    }
    add(x, by);
    lock.clear(std::memory_order_release);
  }
  SM_FN void ticket_lock_add(T& x, T by) const {
    auto& lock = locks_->tickets;
    const auto mine = lock.next.fetch_add(1, std::memory_order_relaxed);
    while (lock.serving.load(std::memory_order_acquire) != mine) {
    }
    add(x, by);
    lock.serving.store(mine + 1, std::memory_order_release);
  }

  SM_FN void sleep_for_token() const { wait_for_token(*mailbox_, expected_); }
  SM_FN void pass_token_and_wake() { post_token(*next_mailbox_, next_token()); }

 private:
  // Keeps the addend in a register across calls, which no floating-point register survives (System
  // V ABI 3.2.1). g++ 16 would load the addend once per step in one loop, twice in the second loop.
  SM_FN static bits_of<T> through_calls(T by) {
    auto bits = std::bit_cast<bits_of<T>>(by);
    make_opaque(bits);
    return bits;
  }
  SM_FN void add(T& x, T by) const {
    this->plain_write(x, static_cast<T>(this->plain_read(x) + by));
  }
  lock_set* locks_;
  std::barrier<>* barrier_;
};

}  // namespace syncmeter::standard
