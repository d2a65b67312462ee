// The lane of C++20 threads: every word is what the standard library has for it, nothing more.
#pragma once

#include <atomic>
#include <bit>
#include <mutex>
#include <shared_mutex>

#include "backends/std/std_atomics.hpp"
#include "backends/std/std_calls.hpp"
#include "backends/std/std_objects.hpp"
#include "core/host/lateness.hpp"

namespace syncmeter::standard {

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
  // Looks, and tries again only when the lock was seen free: the line stays shared meanwhile.
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
