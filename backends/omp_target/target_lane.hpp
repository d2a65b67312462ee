// The lane of OpenMP on a device: every word is the OpenMP construct with the same name, without
// additions.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "backends/omp/omp_flush.hpp"
#include "backends/omp_target/target_setup.hpp"
#include "core/op.hpp"

// The order clause must be literal. A macro writes each construct once and adds the clause. An
// update has no acquire: acq_rel means `release` (OpenMP 5.0, 2.17.7).
#define SM_TARGET_PRAGMA(...) _Pragma(#__VA_ARGS__)
#define SM_TARGET_ATOMIC(KIND, ACQ_REL, ...)                                                       \
  if constexpr (O == order::relaxed) {                                                             \
    SM_TARGET_PRAGMA(omp atomic KIND relaxed) __VA_ARGS__                                          \
  } else if constexpr (O == order::acq_rel) {                                                      \
    SM_TARGET_PRAGMA(omp atomic KIND ACQ_REL) __VA_ARGS__                                          \
  } else {                                                                                         \
    SM_TARGET_PRAGMA(omp atomic KIND seq_cst) __VA_ARGS__                                          \
  }

namespace syncmeter::omp_target {

/// Hides the value from the compiler by an empty asm with the value in a register. Any device
/// register may hold a float.
template <class T> SM_FN void make_opaque(T& value) { asm volatile("" : "+r"(value)); }

template <order O>
inline constexpr bool is_atomic_order =
    O == order::relaxed || O == order::acq_rel || O == order::seq_cst;

/// Has no static members, because g++ 12 allows none in a target region.
template <class T, order O> class lane {
 public:
  using value_type = T;

  // Steps compile to long code, and both loops must fit into the instruction cache.
  template <class Op> static consteval unsigned most_steps() { return 16; }

  /// Makes lane `number` among all participating lanes.
  SM_FN lane(const kernel_setup& s, unsigned number)
      : cell_{reinterpret_cast<T*>(s.cells + number * s.stride_bytes)},
        one_{static_cast<T>(*s.ones)}, operand_{initial_operand<T>(s.oracle, number)},
        initial_{initial_value<T>(s.oracle)}, no_bits_{static_cast<bits_of<T>>(*s.ones - 1)},
        lock_{&s.locks[s.stride_bytes == 0 ? 0 : number].lock},
        own_box_{&s.mailboxes[number].token},
        next_box_{&s.mailboxes[(number + 1) % s.threads == 0 ? number + 1 - s.threads : number + 1]
                       .token},
        bump_{(number + 1) % s.threads == 0 ? 1U : 0U}, polls_left_{s.most_polls} {}

  [[nodiscard]] SM_FN T& cell() const { return *cell_; }
  [[nodiscard]] SM_FN T one() const { return one_; }
  [[nodiscard]] SM_FN T initial() const { return initial_; }
  [[nodiscard]] SM_FN T below() const { return static_cast<T>(initial_ - 4 * one_); }
  [[nodiscard]] SM_FN T above() const { return static_cast<T>(initial_ + 4 * one_); }
  [[nodiscard]] SM_FN T operand() const { return operand_; }
  SM_FN T next_value() { return operand_up(); }
  SM_FN T operand_up() {
    operand_ = static_cast<T>(operand_ + one_);
    make_opaque(operand_);
    return operand_;
  }
  SM_FN T operand_down() {
    operand_ = static_cast<T>(operand_ - one_);
    make_opaque(operand_);
    return operand_;
  }
  SM_FN void multiply() {
    operand_ = static_cast<T>(operand_ * one_);
    make_opaque(operand_);
  }

  SM_FN void sink(T value) { sunk_ ^= std::bit_cast<bits_of<T>>(value); }
  SM_FN void tally_exchange(T returned, T written) {
    tally_ += std::bit_cast<bits_of<T>>(returned) - std::bit_cast<bits_of<T>>(written);
  }
  SM_FN void tally_difference(T value) {
    tally_ |= std::bit_cast<bits_of<T>>(value) ^ std::bit_cast<bits_of<T>>(initial_);
  }

  SM_FN void barrier() const {
#pragma omp barrier
  }

  SM_FN void atomic_add(T& x, T by) const
    requires is_atomic_order<O>
  {
    SM_TARGET_ATOMIC(update, release, x += by;)
  }
  SM_FN T atomic_fetch_add(T& x, T by) const
    requires is_atomic_order<O>
  {
    T old;
    SM_TARGET_ATOMIC(capture, acq_rel, {
      old = x;
      x += by;
    })
    return old;
  }
  SM_FN T atomic_exchange(T& x, T desired) const
    requires is_atomic_order<O>
  {
    T old;
    SM_TARGET_ATOMIC(capture, acq_rel, {
      old = x;
      x = desired;
    })
    return old;
  }
  SM_FN T atomic_compare_exchange(T& x, T expected, T desired) const
    requires(is_atomic_order<O> && std::is_integral_v<T>)
  {
    T old;
    SM_TARGET_ATOMIC(compare capture, acq_rel, {
      old = x;
      if (x == expected) {
        x = desired;
      }
    })
    return old;
  }
  // g++ 12 makes plain accesses from relaxed atomics. The driver's compiler merges plain accesses,
  // which empties a loop.
  SM_FN T atomic_read(const T& x) const
    requires(is_atomic_order<O> && O != order::relaxed)
  {
    T value;
    SM_TARGET_ATOMIC(read, acquire, value = x;)
    return value;
  }
  SM_FN void atomic_write(T& x, T value) const
    requires(is_atomic_order<O> && O != order::relaxed)
  {
    SM_TARGET_ATOMIC(write, release, x = value;)
  }

  SM_FN void critical_add(T& x, T by) const {
#pragma omp critical
    *const_cast<volatile T*>(&x) = static_cast<T>(*const_cast<const volatile T*>(&x) + by);
  }

  SM_FN void named_critical_add(T& x, T by) const {
#pragma omp critical(syncmeter)
    *const_cast<volatile T*>(&x) = static_cast<T>(*const_cast<const volatile T*>(&x) + by);
  }
  SM_FN void lock_add(T& x, T by) const {
    omp_set_lock(lock_);
    *const_cast<volatile T*>(&x) = static_cast<T>(*const_cast<const volatile T*>(&x) + by);
    omp_unset_lock(lock_);
  }

  SM_FN void fence() const
    requires omp::has_flush<O>
  {
    omp::flush<O>();
  }

  // Waits in a team's ring of threads. A lost token ends this wait and all later waits, so the
  // kernel ends.
  SM_FN void await_token() {
    std::uint64_t token;
    do {
#pragma omp atomic read acquire
      token = *own_box_;
      --polls_left_;
    } while ((token != expected_) & (polls_left_ > 0));  // one branch
  }
  SM_FN void pass_token() {
    const std::uint64_t token = expected_ + bump_;
#pragma omp atomic write release
    *next_box_ = token;
    ++expected_;
  }

  SM_FN void bring_back(lane_outcome& to) const {
    to.tally = tally_ ^ (sunk_ & no_bits_);
    to.operand = std::bit_cast<bits_of<T>>(operand_);
  }

 private:
  T* cell_;
  T one_;
  T operand_;
  T initial_;
  bits_of<T> tally_ = 0;
  bits_of<T> sunk_ = 0;
  bits_of<T> no_bits_;
  omp_lock_t* lock_;
  std::uint64_t* own_box_;
  std::uint64_t* next_box_;
  std::uint64_t expected_ = 1;
  std::uint64_t bump_;
  std::int64_t polls_left_;
};

}  // namespace syncmeter::omp_target
