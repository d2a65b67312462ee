// POSIX locks besides the default mutex (lock_add): around one add or one read, held for a while,
// and rwlocks for many readers and few writers. The std backend measures the default mutex held for
// a while.
#pragma once

#include "backends/posix/posix_locks.hpp"
#include "core/ops/critical.hpp"
#include "core/ops/held_lock.hpp"
#include "core/ops/read_mostly.hpp"

namespace syncmeter::posix::ops {

// test - baseline == one more section with one add or one read under the lock.
using syncmeter::ops::lock_info;

/// x += 1 under the op's lock object, one for each cell.
template <class Lock> struct locked_add : self_paired<locked_add<Lock>> {
  using object = Lock;
  SM_FN static void common(auto& lane) {
    lane.object().lock();
    lane.plain_add(lane.cell());
    lane.object().unlock();
  }
};

/// Several lanes may hold the lock together and share only the lock's count.
template <class Lock> struct locked_read : self_paired<locked_read<Lock>> {
  using object = Lock;
  SM_FN static void common(auto& lane) {
    lane.object().lock_shared();
    lane.sink(lane.plain_read(lane.cell()));
    lane.object().unlock();
  }
};

consteval op_info read_info(std::string_view name, std::string_view note) {
  return lock_info(name, note).with(&op_info::oracle, oracle::none);
}

struct mutex_adaptive_add : locked_add<mutex<mutex_kind::adaptive>> {
  static constexpr op_info info =
      lock_info("mutex_adaptive_add", "x += 1 under a mutex that spins before it sleeps");
};
struct mutex_errorcheck_add : locked_add<mutex<mutex_kind::error_checking>> {
  static constexpr op_info info =
      lock_info("mutex_errorcheck_add", "x += 1 under an error-checking mutex");
};
struct mutex_robust_add : locked_add<mutex<mutex_kind::robust>> {
  static constexpr op_info info =
      lock_info("mutex_robust_add", "x += 1 under a mutex that tells of an owner's death");
};
struct mutex_inherit_add : locked_add<mutex<mutex_kind::inheriting>> {
  static constexpr op_info info =
      lock_info("mutex_inherit_add", "x += 1 under a mutex with priority inheritance");
};
struct pthread_spin_add : locked_add<spin_lock> {
  static constexpr op_info info = lock_info("pthread_spin_add", "x += 1 under pthread_spinlock_t");
};

using reader_first = rwlock<rwlock_kind::prefer_reader>;
using writer_first = rwlock<rwlock_kind::prefer_writer>;

struct rwlock_add : locked_add<reader_first> {
  static constexpr op_info info =
      lock_info("rwlock_add", "x += 1 under pthread_rwlock_t (prefers readers), for writing");
};
struct rwlock_read : locked_read<reader_first> {
  static constexpr op_info info =
      read_info("rwlock_read", "a plain read under pthread_rwlock_t (prefers readers)");
};
struct rwlock_writer_add : locked_add<writer_first> {
  static constexpr op_info info = lock_info(
      "rwlock_writer_add", "x += 1 under pthread_rwlock_t (prefers writers), for writing");
};
struct rwlock_writer_read : locked_read<writer_first> {
  static constexpr op_info info =
      read_info("rwlock_writer_read", "a plain read under pthread_rwlock_t (prefers writers)");
};

using syncmeter::ops::access_op;
using syncmeter::ops::held_op;
using syncmeter::ops::hold_info;
using syncmeter::ops::read_mostly_info;

// Named types for the census, which reads names in a disassembly.
struct adaptive : mutex<mutex_kind::adaptive> {};
struct inheriting : mutex<mutex_kind::inheriting> {};

struct mutex_adaptive_held : held_op<adaptive> {
  static constexpr op_info info =
      hold_info("mutex_adaptive_held", "a section under a mutex that spins before it sleeps",
                "call:syncmeter::ops::held_op<syncmeter::posix::ops::adaptive>::step 1");
};
struct mutex_inherit_held : held_op<inheriting> {
  static constexpr op_info info =
      hold_info("mutex_inherit_held", "a section under a mutex with priority inheritance",
                "call:syncmeter::ops::held_op<syncmeter::posix::ops::inheriting>::step 1");
};
struct pthread_spin_held : held_op<spin_lock> {
  static constexpr op_info info =
      hold_info("pthread_spin_held", "a section under pthread_spinlock_t",
                "call:syncmeter::ops::held_op<syncmeter::posix::spin_lock>::step 1");
};

/// A datum under an rwlock.
template <rwlock_kind Kind> using under_rwlock = syncmeter::ops::under_shared_mutex<rwlock<Kind>>;
struct under_readers_first : under_rwlock<rwlock_kind::prefer_reader> {
  using under_mutex::under_mutex;
};
struct under_writers_first : under_rwlock<rwlock_kind::prefer_writer> {
  using under_mutex::under_mutex;
};

struct rwlock_read_mostly : access_op<under_readers_first> {
  static constexpr op_info info = read_mostly_info(
      "rwlock_read_mostly", "a datum under pthread_rwlock_t (prefers readers)",
      "call:syncmeter::ops::access_op<syncmeter::posix::ops::under_readers_first>::step 1");
};
struct rwlock_writer_read_mostly : access_op<under_writers_first> {
  static constexpr op_info info = read_mostly_info(
      "rwlock_writer_read_mostly", "a datum under pthread_rwlock_t (prefers writers)",
      "call:syncmeter::ops::access_op<syncmeter::posix::ops::under_writers_first>::step 1");
};

}  // namespace syncmeter::posix::ops
