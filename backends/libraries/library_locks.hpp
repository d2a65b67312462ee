// Library locks and RCU, behind calls that are not inlined: a section's cost must not depend on
// code in headers. Missing libraries have no classes here.
#pragma once

#include <memory>

#include "core/ops/read_mostly.hpp"

#if SM_HAS_ABSL
#include <absl/synchronization/mutex.h>
#endif
#if SM_HAS_TBB
#include <oneapi/tbb/mutex.h>
#include <oneapi/tbb/queuing_mutex.h>
#include <oneapi/tbb/spin_mutex.h>
#include <oneapi/tbb/spin_rw_mutex.h>
#endif
#if SM_HAS_CK
#include "backends/libraries/ck_locks.h"
#endif

namespace syncmeter::libraries {

/// Replaces a lock that this build lacks.
struct not_found {};

#if SM_HAS_ABSL
class alignas(128) absl_mutex {
 public:
  void lock(unsigned lane);
  void unlock(unsigned lane);
  // For the standard library's guards.
  void lock() { native_.Lock(); }
  void unlock() { native_.Unlock(); }
  void lock_shared() { native_.ReaderLock(); }
  void unlock_shared() { native_.ReaderUnlock(); }

 private:
  absl::Mutex native_;
};
#else
using absl_mutex = not_found;
#endif

#if SM_HAS_TBB
class alignas(128) tbb_mutex {
 public:
  void lock(unsigned lane);
  void unlock(unsigned lane);

 private:
  tbb::mutex native_;
};
class alignas(128) tbb_spin_mutex {
 public:
  void lock(unsigned lane);
  void unlock(unsigned lane);

 private:
  tbb::spin_mutex native_;
};
struct tbb_rw_mutex : tbb::spin_rw_mutex {};

class tbb_queuing_mutex {  // FIFO: each lane waits on a separate node
 public:
  explicit tbb_queuing_mutex(sharers who) : nodes_{new node[who.lanes]}, lanes_{who.lanes} {}
  void lock(unsigned lane);
  void unlock(unsigned lane);

 private:
  struct alignas(128) node {
    tbb::queuing_mutex::scoped_lock held;
  };
  alignas(128) tbb::queuing_mutex native_;
  std::unique_ptr<node[]> nodes_;
  unsigned lanes_;
};
#else
using tbb_mutex = not_found;
using tbb_spin_mutex = not_found;
using tbb_rw_mutex = not_found;
using tbb_queuing_mutex = not_found;
#endif

#if SM_HAS_CK
/// Throws std::bad_alloc without memory.
class ck_lock {
 public:
  explicit ck_lock(sharers who);

 protected:
  struct deleter {
    void operator()(ck_lock_storage* lock) const { delete_ck_lock(lock); }
  };
  std::unique_ptr<ck_lock_storage, deleter> native_;
};
struct ck_fas_lock : ck_lock {
  using ck_lock::ck_lock;
  void lock(unsigned lane);
  void unlock(unsigned lane);
};
struct ck_ticket_lock : ck_lock {
  using ck_lock::ck_lock;
  void lock(unsigned lane);
  void unlock(unsigned lane);
};
struct ck_mcs_lock : ck_lock {
  using ck_lock::ck_lock;
  void lock(unsigned lane);
  void unlock(unsigned lane);
};
struct ck_cohort_lock : ck_lock {
  using ck_lock::ck_lock;
  void lock(unsigned lane);
  void unlock(unsigned lane);
};
#else
using ck_fas_lock = not_found;
using ck_ticket_lock = not_found;
using ck_mcs_lock = not_found;
using ck_cohort_lock = not_found;
#endif

#if SM_HAS_URCU
/// A pointer to the newest copy. RCU of liburcu (membarrier flavour) keeps old copies: a reader
/// writes only to a counter of its thread, without a fence.
class rcu_snapshot {
 public:
  explicit rcu_snapshot(sharers who);
  ops::datum_state read(unsigned lane);
  /// Waits for a grace period, because the next write reuses the old copy.
  std::uint64_t write(unsigned lane);
  [[nodiscard]] std::uint64_t version() const;

 private:
  ops::plain_words first_, second_;
  ops::plain_words* spare_ = &second_;
  std::mutex writers_;
  alignas(128) std::atomic<ops::plain_words*> newest_{&first_};
};
#else
struct rcu_snapshot {};
#endif

}  // namespace syncmeter::libraries
