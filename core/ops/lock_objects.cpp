#include "core/ops/lock_objects.hpp"

#include <bit>

#include "core/ops/spun_work.hpp"

namespace syncmeter::ops {
namespace {

// About what a section of one add and its handoff take: a waiter n places back looks again after n
// times that.
constexpr unsigned pauses_for_each_before = 8;

}  // namespace

mcs_lock::mcs_lock(sharers who) : nodes_{new node[who.lanes]}, lanes_{who.lanes} {}

void mcs_lock::lock(unsigned lane) {
  node& mine = nodes_[lane % lanes_];
  mine.next.store(nullptr, std::memory_order_relaxed);
  mine.waits.store(true, std::memory_order_relaxed);
  // Release: whoever queues next finds a node that is made. Acquire: the node before is made, and
  // where there is none, the last holder's section is over.
  node* const before = tail_.exchange(&mine, std::memory_order_acq_rel);
  if (before == nullptr) return;
  before->next.store(&mine, std::memory_order_release);
  while (mine.waits.load(std::memory_order_acquire)) spin_pause();
}

void mcs_lock::unlock(unsigned lane) {
  node& mine = nodes_[lane % lanes_];
  node* after = mine.next.load(std::memory_order_acquire);
  if (after == nullptr) {
    node* last = &mine;
    if (tail_.compare_exchange_strong(last, nullptr, std::memory_order_release,
                                      std::memory_order_relaxed))
      return;
    // Somebody is between its exchange and its store.
    while ((after = mine.next.load(std::memory_order_acquire)) == nullptr) spin_pause();
  }
  after->waits.store(false, std::memory_order_release);
}

std::uintptr_t mcs_lock::last_in_line() const {
  return std::bit_cast<std::uintptr_t>(tail_.load(std::memory_order_relaxed));
}

clh_lock::clh_lock(sharers who)
    : nodes_{new node[who.lanes + 1]}, places_{new place[who.lanes]}, lanes_{who.lanes},
      tail_{&nodes_[who.lanes]} {
  for (unsigned lane = 0; lane < lanes_; ++lane) places_[lane].mine = &nodes_[lane];
}

void clh_lock::lock(unsigned lane) {
  place& here = places_[lane % lanes_];
  here.mine->held.store(true, std::memory_order_relaxed);
  // Release: the next in line must not find the node as it was when another lane left it. Acquire:
  // nor must this one.
  here.before = tail_.exchange(here.mine, std::memory_order_acq_rel);
  while (here.before->held.load(std::memory_order_acquire)) spin_pause();
}

void clh_lock::unlock(unsigned lane) {
  place& here = places_[lane % lanes_];
  here.mine->held.store(false, std::memory_order_release);
  here.mine = here.before;  // nobody else looks at it any more
}

std::uintptr_t clh_lock::last_in_line() const {
  return std::bit_cast<std::uintptr_t>(tail_.load(std::memory_order_relaxed));
}

void ticket_backoff_lock::lock(unsigned /*lane*/) {
  const auto mine = next_.fetch_add(1, std::memory_order_relaxed);
  for (;;) {
    const std::uint32_t before = mine - serving_.load(std::memory_order_acquire);
    if (before == 0) return;
    for (unsigned i = 0; i < before * pauses_for_each_before; ++i) spin_pause();
  }
}

void ticket_backoff_lock::unlock(unsigned /*lane*/) {
  serving_.store(serving_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
}

std::uintptr_t ticket_backoff_lock::last_in_line() const {
  return next_.load(std::memory_order_relaxed);
}

}  // namespace syncmeter::ops
