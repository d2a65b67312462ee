// Locks of POSIX held for a while, and what many read and few write under its rwlocks
// (core/ops/held_lock.hpp, read_mostly.hpp). The default mutex is std's.
#pragma once

#include "backends/posix/posix_locks.hpp"
#include "core/ops/held_lock.hpp"
#include "core/ops/read_mostly_schemes.hpp"

namespace syncmeter::posix::ops {

using syncmeter::ops::access_op;
using syncmeter::ops::held_op;
using syncmeter::ops::hold_info;
using syncmeter::ops::read_mostly_info;

// With names that a disassembly can be held to.
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

/// A datum under an rwlock of a kind.
template <rwlock_kind Kind> using under_rwlock = syncmeter::ops::under_shared_mutex<rwlock<Kind>>;
struct under_readers_first : under_rwlock<rwlock_kind::prefer_reader> {
  using under_shared_mutex::under_shared_mutex;
};
struct under_writers_first : under_rwlock<rwlock_kind::prefer_writer> {
  using under_shared_mutex::under_shared_mutex;
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
