// The lane of C++20 threads: every word is what the standard library has for it, nothing more.
#pragma once

#include <atomic>
#include <bit>
#include <mutex>
#include <shared_mutex>

#include "backends/std/std_calls.hpp"
#include "backends/std/std_objects.hpp"
#include "core/host/host_lane.hpp"
#include "core/host/lateness.hpp"

namespace syncmeter::standard {

// An order on an access, as core/axes.hpp has it: acq_rel is acquire for a load, and release where
// nothing comes back.
[[nodiscard]] constexpr std::memory_order with_result(order o) {
  if (o == order::relaxed) return std::memory_order_relaxed;
  return o == order::acq_rel ? std::memory_order_acq_rel : std::memory_order_seq_cst;
}
[[nodiscard]] constexpr std::memory_order without_result(order o) {
  return o == order::acq_rel ? std::memory_order_release : with_result(o);
}
[[nodiscard]] constexpr std::memory_order of_load(order o) {
  return o == order::acq_rel ? std::memory_order_acquire : with_result(o);
}

[[nodiscard]] constexpr std::memory_order of_fence(order o) {
  if (o == order::acquire) return std::memory_order_acquire;
  return o == order::release ? std::memory_order_release : with_result(o);
}

template <class T, order O> class lane : public host_lane<T>, public late_words, ring_registers {
  static constexpr bool atomic_order =
      O == order::relaxed || O == order::acq_rel || O == order::seq_cst;
  static constexpr bool fence_order =
      O == order::acquire || O == order::release || O == order::acq_rel || O == order::seq_cst;

 public:
  static constexpr order memory_order = O;

  explicit lane(const lane_setup& s)
      : host_lane<T>{s}, late_words{s}, ring_registers{s},
        locks_{&static_cast<shared_objects*>(s.backend)->locks[s.cell_index]},
        barrier_{&*static_cast<shared_objects*>(s.backend)->barrier} {}

  SM_FN void barrier() const { arrive_and_wait(*barrier_); }

  SM_FN void atomic_add(T& x, T by) const
    requires atomic_order
  {
    std::atomic_ref<T>{x}.fetch_add(by, without_result(O));
  }
  SM_FN void atomic_sub(T& x, T by) const
    requires atomic_order
  {
    std::atomic_ref<T>{x}.fetch_sub(by, without_result(O));
  }
  SM_FN T atomic_fetch_add(T& x, T by) const
    requires atomic_order
  {
    return std::atomic_ref<T>{x}.fetch_add(by, with_result(O));
  }
  SM_FN T atomic_exchange(T& x, T desired) const
    requires atomic_order
  {
    return std::atomic_ref<T>{x}.exchange(desired, with_result(O));
  }
  SM_FN T atomic_compare_exchange(T& x, T expected, T desired) const
    requires atomic_order
  {
    std::atomic_ref<T>{x}.compare_exchange_strong(expected, desired, with_result(O));
    return expected;
  }
  SM_FN T atomic_read(T& x) const
    requires atomic_order
  {
    return std::atomic_ref<T>{x}.load(of_load(O));
  }
  SM_FN void atomic_write(T& x, T value) const
    requires atomic_order
  {
    std::atomic_ref<T>{x}.store(value, without_result(O));
  }

  // fetch_max and fetch_min come with C++26. Until then they are written so: nothing is stored
  // where the cell already holds what is wanted.
  SM_FN void atomic_max(T& x, T e) const
    requires atomic_order
  {
    const std::atomic_ref<T> cell{x};
    T seen = cell.load(first_look);
    while (seen < e && !cell.compare_exchange_weak(seen, e, without_result(O), first_look)) {
    }
  }
  SM_FN void atomic_min(T& x, T e) const
    requires atomic_order
  {
    const std::atomic_ref<T> cell{x};
    T seen = cell.load(first_look);
    while (seen > e && !cell.compare_exchange_weak(seen, e, without_result(O), first_look)) {
    }
  }

  SM_FN void fence() const
    requires fence_order
  {
    std::atomic_thread_fence(of_fence(O));
    asm volatile("");  // clang makes one fence of several that follow each other
  }

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

  SM_FN void await_token() const {
    const std::atomic_ref<std::uint64_t> box{*mailbox_};
    while (box.load(std::memory_order_acquire) != expected_) {
    }
  }
  SM_FN void take_token() const {
    const std::atomic_ref<std::uint64_t> box{*mailbox_};
    for (std::uint64_t seen = expected_; !box.compare_exchange_strong(
             seen, no_token, std::memory_order_acquire, std::memory_order_relaxed);)
      seen = expected_;
  }
  SM_FN void pass_token() {
    std::atomic_ref<std::uint64_t>{*next_mailbox_}.store(next_token(), std::memory_order_release);
  }
  SM_FN void sleep_for_token() const { wait_for_token(*mailbox_, expected_); }
  SM_FN void pass_token_and_wake() { post_token(*next_mailbox_, next_token()); }

 private:
  static constexpr std::memory_order first_look =
      O == order::seq_cst ? std::memory_order_seq_cst : std::memory_order_relaxed;

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
  SM_FN std::uint64_t next_token() {
    const std::uint64_t token = expected_ + bump_;
    ++expected_;
    make_opaque(expected_);  // or the tokens of a whole trip are worked out ahead, and spilled
    return token;
  }

  lock_set* locks_;
  std::barrier<>* barrier_;
};

}  // namespace syncmeter::standard
