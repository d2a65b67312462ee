#include "backends/libraries/library_rcu.hpp"

#if SM_HAS_URCU
#include <urcu/urcu-memb.h>

namespace syncmeter::libraries {
namespace {

// Each thread that reads has to be known.
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

}  // namespace syncmeter::libraries
#endif
