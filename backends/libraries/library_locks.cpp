#include "backends/libraries/library_locks.hpp"

#include <new>

#if SM_HAS_URCU
#include <urcu/urcu-memb.h>
#endif

namespace syncmeter::libraries {

#if SM_HAS_ABSL
void absl_mutex::lock(unsigned /*lane*/) { native_.Lock(); }
void absl_mutex::unlock(unsigned /*lane*/) { native_.Unlock(); }
#endif

#if SM_HAS_TBB
void tbb_mutex::lock(unsigned /*lane*/) { native_.lock(); }
void tbb_mutex::unlock(unsigned /*lane*/) { native_.unlock(); }
void tbb_spin_mutex::lock(unsigned /*lane*/) { native_.lock(); }
void tbb_spin_mutex::unlock(unsigned /*lane*/) { native_.unlock(); }
void tbb_queuing_mutex::lock(unsigned lane) { nodes_[lane % lanes_].held.acquire(native_); }
void tbb_queuing_mutex::unlock(unsigned lane) { nodes_[lane % lanes_].held.release(); }
#endif

#if SM_HAS_CK
ck_lock::ck_lock(sharers who) : native_{new_ck_lock(who.lanes)} {
  if (native_ == nullptr) throw std::bad_alloc();
}
void ck_fas_lock::lock(unsigned lane) { lock_ck_fas(native_.get(), lane); }
void ck_fas_lock::unlock(unsigned lane) { unlock_ck_fas(native_.get(), lane); }
void ck_ticket_lock::lock(unsigned lane) { lock_ck_ticket(native_.get(), lane); }
void ck_ticket_lock::unlock(unsigned lane) { unlock_ck_ticket(native_.get(), lane); }
void ck_mcs_lock::lock(unsigned lane) { lock_ck_mcs(native_.get(), lane); }
void ck_mcs_lock::unlock(unsigned lane) { unlock_ck_mcs(native_.get(), lane); }
void ck_cohort_lock::lock(unsigned lane) { lock_ck_cohort(native_.get(), lane); }
void ck_cohort_lock::unlock(unsigned lane) { unlock_ck_cohort(native_.get(), lane); }
#endif

#if SM_HAS_URCU
namespace {

// liburcu must know each reading thread.
struct registered_thread {
  registered_thread() { urcu_memb_register_thread(); }
  ~registered_thread() { urcu_memb_unregister_thread(); }
};

}  // namespace

rcu_snapshot::rcu_snapshot(sharers who)
    : first_{ops::words_in(who.size)}, second_{ops::words_in(who.size)} {}

ops::datum_state rcu_snapshot::read(unsigned /*lane*/) {
  static thread_local const registered_thread here;
  urcu_memb_read_lock();
  const ops::datum_state read = newest_.load(std::memory_order_acquire)->read();
  urcu_memb_read_unlock();
  return read;
}

std::uint64_t rcu_snapshot::write(unsigned /*lane*/) {
  const std::lock_guard one_at_a_time{writers_};
  ops::plain_words* const before = newest_.load(std::memory_order_relaxed);
  const std::uint64_t next = before->version() + 1;
  spare_->write(next);
  newest_.store(spare_, std::memory_order_release);
  urcu_memb_synchronize_rcu();
  spare_ = before;
  return next;
}

std::uint64_t rcu_snapshot::version() const {
  return newest_.load(std::memory_order_relaxed)->version();
}
#endif

}  // namespace syncmeter::libraries
