// Locks that POSIX programs have beside the default mutex, which is lock_add. test - baseline ==
// one more section under the lock, holding one add or one read.
#pragma once

#include "backends/posix/posix_locks.hpp"
#include "core/ops/critical.hpp"

namespace syncmeter::posix::ops {

using syncmeter::ops::lock_info;

/// x += 1 under a lock that is the op's object, one for each cell.
template <class Lock> struct locked_add {
  using object = Lock;
  SM_FN static void common(auto& lane) {
    lane.object().lock();
    lane.plain_add(lane.cell());
    lane.object().unlock();
  }
  SM_FN static void measured(auto& lane) { common(lane); }
};

/// Lanes may be in it together: what they share is the lock's own count.
template <class Lock> struct locked_read {
  using object = Lock;
  SM_FN static void common(auto& lane) {
    lane.object().lock_shared();
    lane.sink(lane.plain_read(lane.cell()));
    lane.object().unlock();
  }
  SM_FN static void measured(auto& lane) { common(lane); }
};

consteval op_info read_info(std::string_view name, std::string_view note) {
  op_info reads = lock_info(name, note);
  reads.oracle = oracle::none;
  return reads;
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

}  // namespace syncmeter::posix::ops
