// The lane of C++20 threads: every word is what the standard library has for it, nothing more; and
// what lanes share beside cells.
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

// The words that are a whole algorithm of the library, each behind a call, so that both sides of a
// loop hold the same of it whatever the compiler would have made of the copies. They stand in a
// source of their own (std_calls.cpp).
void arrive_and_wait(std::barrier<>& all);

/// Comes back when `box` holds `expected`, by std::atomic_ref::wait (acquire).
void wait_for_token(std::uint64_t& box, std::uint64_t expected);
/// Puts `token` into `box` (release) and wakes who waits for it.
void post_token(std::uint64_t& box, std::uint64_t token);

/// The lock that is fair: whoever draws the next number is served next. Both numbers lie on one
/// line, as they do where the lock is written for its size.
struct ticket_lock {
  std::atomic<std::uint32_t> next{0};
  std::atomic<std::uint32_t> serving{0};
};

/// What guards one cell. Each on lines of its own: adjacent-line prefetch must not couple them.
struct lock_set {
  alignas(128) std::mutex mutex;
  alignas(128) std::shared_mutex shared_mutex;
  alignas(128) std::atomic_flag spin_lock;
  alignas(128) ticket_lock tickets;
};

/// The library's own objects, one set for each worker.
struct shared_objects {
  explicit shared_objects(wait_policy waiting) : team{waiting} {}

  /// Makes the barrier one of `lanes` lanes, and locks for as many cells. None may be waiting at
  /// it.
  void fit(unsigned lanes) {
    while (locks.size() < lanes) locks.emplace_back();
    if (lanes_ == lanes) return;
    barrier.emplace(static_cast<std::ptrdiff_t>(lanes));
    lanes_ = lanes;
  }

  thread_team team;
  alignas(128) std::optional<std::barrier<>> barrier;
  std::deque<lock_set> locks;  // by cell; its elements stay where they are as it grows

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
  // Looks, and tries again only when the lock looked free: the line stays shared meanwhile.
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
  // An addend in a register that lives through calls, as no floating one does (System V ABI 3.2.1):
  // g++ 16 would fetch that from the stack once a step here, twice there.
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
