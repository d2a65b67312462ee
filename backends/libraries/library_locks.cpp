#include "backends/libraries/library_locks.hpp"

#include <new>

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

}  // namespace syncmeter::libraries
