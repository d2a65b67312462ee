// Words by std::atomic_ref and std::atomic_thread_fence, for C++20 threads and for processes with
// shared memory.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/host/host_lane.hpp"

namespace syncmeter::standard {

// Return the std::memory_order for an order in core/axes.hpp: acq_rel is acquire for a load, and
// release for an access without result.
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

template <class T, order O> class atomic_words : public host_lane<T> {
  static constexpr bool atomic_order =
      O == order::relaxed || O == order::acq_rel || O == order::seq_cst;
  static constexpr bool fence_order =
      O == order::acquire || O == order::release || O == order::acq_rel || O == order::seq_cst;

  static constexpr std::memory_order first_look =
      O == order::seq_cst ? std::memory_order_seq_cst : std::memory_order_relaxed;

 public:
  static constexpr order memory_order = O;

  using host_lane<T>::host_lane;

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

  // fetch_max and fetch_min arrive with C++26. Until then these loops store nothing if the cell
  // already has the result.
  SM_FN void atomic_max(T& x, T e) const
    requires atomic_order
  {
    const std::atomic_ref<T> cell{x};
    T value = cell.load(first_look);
    while (value < e && !cell.compare_exchange_weak(value, e, without_result(O), first_look)) {
    }
  }
  SM_FN void atomic_min(T& x, T e) const
    requires atomic_order
  {
    const std::atomic_ref<T> cell{x};
    T value = cell.load(first_look);
    while (value > e && !cell.compare_exchange_weak(value, e, without_result(O), first_look)) {
    }
  }

  SM_FN void fence() const
    requires fence_order
  {
    std::atomic_thread_fence(of_fence(O));
    asm volatile("");  // clang would merge consecutive fences
  }
};

/// The token ring by atomic accesses to mailboxes.
class ring_words : public ring_registers {
 public:
  using ring_registers::ring_registers;

  SM_FN void await_token() const {
    const std::atomic_ref<std::uint64_t> box{*mailbox_};
    while (box.load(std::memory_order_acquire) != expected_) {
    }
  }
  SM_FN void take_token() const {
    const std::atomic_ref<std::uint64_t> box{*mailbox_};
    for (std::uint64_t found = expected_; !box.compare_exchange_strong(
             found, no_token, std::memory_order_acquire, std::memory_order_relaxed);)
      found = expected_;
  }
  SM_FN void pass_token() {
    std::atomic_ref<std::uint64_t>{*next_mailbox_}.store(next_token(), std::memory_order_release);
  }

 protected:
  SM_FN std::uint64_t next_token() {
    const std::uint64_t token = expected_ + bump_;
    ++expected_;
    make_opaque(expected_);  // prevents the compiler from computing and spilling all tokens of a
                             // trip
    return token;
  }
};

}  // namespace syncmeter::standard
