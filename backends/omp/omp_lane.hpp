// The OpenMP lane: every word is the OpenMP construct of its name, nothing more.
#pragma once

#include <omp.h>

#include "core/host_lane.hpp"
#include "core/lateness.hpp"

// The order clause has to be literal, so each construct is written once here and gets its clause by
// macro. An update takes no acquire: acq_rel means `release` there (OpenMP 5.0, 2.17.7).
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

/// The API's own objects, one set per worker.
struct shared_objects {
  omp_lock_t lock;
  shared_objects() { omp_init_lock(&lock); }
  ~shared_objects() { omp_destroy_lock(&lock); }
  shared_objects(const shared_objects&) = delete;
  shared_objects& operator=(const shared_objects&) = delete;
};

template <class T, order O> class lane : public host_lane<T>, public late_words, ring_registers {
  static constexpr bool atomic_order =
      O == order::relaxed || O == order::acq_rel || O == order::seq_cst;

 public:
  static constexpr order memory_order = O;

  explicit lane(const lane_setup& s)
      : host_lane<T>{s}, late_words{s}, ring_registers{s},
        shared_{static_cast<shared_objects*>(s.backend)} {}

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
    omp_set_lock(&shared_->lock);
    this->plain_write(x, static_cast<T>(this->plain_read(x) + by));
    omp_unset_lock(&shared_->lock);
  }

  SM_FN void fence() const
    requires(O == order::unordered)
  {
#pragma omp flush
  }
#if defined(SM_OMP_HAS_FLUSH_SEQ_CST)
  SM_FN void fence() const
    requires(O == order::seq_cst)
  {
#pragma omp flush seq_cst
  }
#endif
  SM_FN void fence() const
    requires(O == order::acquire)
  {
#pragma omp flush acquire
  }
  SM_FN void fence() const
    requires(O == order::release)
  {
#pragma omp flush release
  }
  SM_FN void fence() const
    requires(O == order::acq_rel)
  {
#pragma omp flush acq_rel
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
    std::uint64_t seen;
    do {
#pragma omp atomic compare capture acquire
      {
        seen = box;
        if (box == token) {
          box = no_token;
        }
      }
    } while (seen != token);
  }
#endif
  SM_FN void pass_token() {
    const std::uint64_t token = expected_ + bump_;
#pragma omp atomic write release
    *next_mailbox_ = token;
    ++expected_;
    make_opaque(expected_);  // or the tokens of a whole trip are worked out ahead, and spilled
  }

 private:
  shared_objects* shared_;
};

}  // namespace syncmeter::omp
