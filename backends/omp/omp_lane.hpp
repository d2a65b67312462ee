// The OpenMP lane: every word is the OpenMP construct with the same name, without additions.
#pragma once

#include "backends/omp/omp_flush.hpp"
#include "backends/omp/omp_objects.hpp"
#include "core/host/host_lane.hpp"
#include "core/host/lateness.hpp"

// The order clause must be literal. A macro writes each construct once and adds the clause. An
// update has no acquire: acq_rel means `release` (OpenMP 5.0, 2.17.7).
#define SM_OMP_PRAGMA(...) _Pragma(#__VA_ARGS__)
#define SM_OMP_ATOMIC(KIND, ACQ_REL, ...)                                                          \
  if constexpr (O == order::relaxed) {                                                             \
    SM_OMP_PRAGMA(omp atomic KIND relaxed) __VA_ARGS__                                             \
  } else if constexpr (O == order::acq_rel) {                                                      \
    SM_OMP_PRAGMA(omp atomic KIND ACQ_REL) __VA_ARGS__                                             \
  } else {                                                                                         \
    SM_OMP_PRAGMA(omp atomic KIND seq_cst) __VA_ARGS__                                             \
  }

namespace syncmeter::omp {

template <class T, order O> class lane : public host_lane<T>, public late_words, ring_registers {
  static constexpr bool atomic_order =
      O == order::relaxed || O == order::acq_rel || O == order::seq_cst;

 public:
  static constexpr order memory_order = O;

  explicit lane(const lane_setup& s)
      : host_lane<T>{s}, late_words{s}, ring_registers{s},
        locks_{&static_cast<shared_objects*>(s.backend)->locks_of(s.cell_index)},
        input_{&static_cast<shared_objects*>(s.backend)->input}, lanes_{s.lanes} {}

  SM_FN void barrier() const {
#pragma omp barrier
  }

  SM_FN void atomic_add(T& x, T by) const
    requires atomic_order
  {
    SM_OMP_ATOMIC(update, release, x += by;)
  }
  SM_FN void atomic_sub(T& x, T by) const
    requires atomic_order
  {
    SM_OMP_ATOMIC(update, release, x -= by;)
  }
  SM_FN T atomic_fetch_add(T& x, T by) const
    requires atomic_order
  {
    T old;
    SM_OMP_ATOMIC(capture, acq_rel, {
      old = x;
      x += by;
    })
    return old;
  }
  SM_FN T atomic_exchange(T& x, T desired) const
    requires atomic_order
  {
    T old;
    SM_OMP_ATOMIC(capture, acq_rel, {
      old = x;
      x = desired;
    })
    return old;
  }
  SM_FN T atomic_read(const T& x) const
    requires atomic_order
  {
    T value;
    SM_OMP_ATOMIC(read, acquire, value = x;)
    return value;
  }
  SM_FN void atomic_write(T& x, T value) const
    requires atomic_order
  {
    SM_OMP_ATOMIC(write, release, x = value;)
  }

#if defined(SM_OMP_HAS_ATOMIC_COMPARE)
  SM_FN void atomic_max(T& x, T e) const
    requires atomic_order
  {
    SM_OMP_ATOMIC(compare, release, if (x < e) { x = e; })
  }
  SM_FN void atomic_min(T& x, T e) const
    requires atomic_order
  {
    SM_OMP_ATOMIC(compare, release, if (x > e) { x = e; })
  }
  SM_FN T atomic_compare_exchange(T& x, T expected, T desired) const
    requires atomic_order
  {
    T old;
    SM_OMP_ATOMIC(compare capture, acq_rel, {
      old = x;
      if (x == expected) {
        x = desired;
      }
    })
    return old;
  }
#endif

  SM_FN void critical_add(T& x, T by) const {
#pragma omp critical
    this->plain_write(x, static_cast<T>(this->plain_read(x) + by));
  }
  SM_FN void named_critical_add(T& x, T by) const {
#pragma omp critical(syncmeter)
    this->plain_write(x, static_cast<T>(this->plain_read(x) + by));
  }
  SM_FN void lock_add(T& x, T by) const {
    omp_set_lock(&locks_->plain);
    this->plain_write(x, static_cast<T>(this->plain_read(x) + by));
    omp_unset_lock(&locks_->plain);
  }
#if defined(SM_OMP_HAS_LOCK_HINTS)
  template <lock_hint Hint> SM_FN void hinted_lock_add(T& x, T by) const {
    omp_lock_t& lock = locks_->hinted[static_cast<std::size_t>(Hint)].lock;
    omp_set_lock(&lock);
    this->plain_write(x, static_cast<T>(this->plain_read(x) + by));
    omp_unset_lock(&lock);
  }
#endif
  SM_FN void nest_lock_add(T& x, T by) const {
    omp_set_nest_lock(&locks_->nested);
    this->plain_write(x, static_cast<T>(this->plain_read(x) + by));
    omp_unset_nest_lock(&locks_->nested);
  }
  // Spins on reads and retries only if the lock looked free, to keep the line shared.
  SM_FN void spin_lock_add(T& x, T by) const {
    std::uint32_t& flag = locks_->flag;
    while (test_and_set(flag) != 0) {
      while (relaxed_read(flag) != 0) {
      }
    }
    this->plain_write(x, static_cast<T>(this->plain_read(x) + by));
#pragma omp atomic write release
    flag = 0;
  }
  SM_FN void ticket_lock_add(T& x, T by) const {
    std::uint32_t& next = locks_->tickets.next;
    std::uint32_t& serving = locks_->tickets.serving;
    std::uint32_t mine, served;
#pragma omp atomic capture relaxed
    mine = next++;
    do {
#pragma omp atomic read acquire
      served = serving;
    } while (served != mine);
    this->plain_write(x, static_cast<T>(this->plain_read(x) + by));
#pragma omp atomic write release
    serving = mine + 1;
  }

  SM_FN void reduce_max()
    requires(!std::is_same_v<T, std::uint32_t>)
  {
    this->tally_wrong(omp::reduce_max(*input_, lanes_, T{}));
  }

  SM_FN void fence() const
    requires has_flush<O>
  {
    flush<O>();
  }

  SM_FN void await_token() const {
    std::uint64_t token;
    do {
#pragma omp atomic read acquire
      token = *mailbox_;
    } while (token != expected_);
  }
#if defined(SM_OMP_HAS_ATOMIC_COMPARE)
  SM_FN void take_token() const {
    std::uint64_t& box = *mailbox_;
    const std::uint64_t token = expected_;
    std::uint64_t found;
    do {
#pragma omp atomic compare capture acquire
      {
        found = box;
        if (box == token) {
          box = no_token;
        }
      }
    } while (found != token);
  }
#endif
  SM_FN void pass_token() {
    const std::uint64_t token = expected_ + bump_;
#pragma omp atomic write release
    *next_mailbox_ = token;
    ++expected_;
    make_opaque(expected_);  // prevents the compiler from computing and spilling all tokens of a
                             // trip
  }

 private:
  SM_FN static std::uint32_t test_and_set(std::uint32_t& flag) {
    std::uint32_t was;
#pragma omp atomic capture acquire
    {
      was = flag;
      flag = 1;
    }
    return was;
  }
  SM_FN static std::uint32_t relaxed_read(const std::uint32_t& flag) {
    std::uint32_t value;
#pragma omp atomic read relaxed
    value = flag;
    return value;
  }

  lock_set* locks_;
  const reduction_array* input_;
  unsigned lanes_;
};

}  // namespace syncmeter::omp
