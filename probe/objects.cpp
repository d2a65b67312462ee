#include "probe/objects.hpp"

namespace syncmeter::probe {
namespace {

__thread int this_thread = 0;
// The time in which releases are followed; what was noted in an earlier one is no owner before.
constinit std::uint64_t followed_turn = 0;

/// The calling thread in the present turn: threads are told apart by where they lie.
std::uint64_t mark_of_thread() {
  constexpr unsigned address_bits = 48;
  return __atomic_load_n(&followed_turn, __ATOMIC_RELAXED) << address_bits |
         reinterpret_cast<std::uint64_t>(&this_thread);
}
bool is_of_turn(std::uint64_t mark, std::uint64_t other) { return (mark ^ other) >> 48U == 0; }

}  // namespace

constinit bool follows_owners = false;

std::uint64_t find_number(const void* lock) {
  objects_block* const all = objects_of_process();
  const object_address* const place =
      all == nullptr ? nullptr : place_of(all->addresses, lock, true);
  return place == nullptr ? 0 : static_cast<std::uint64_t>(place - all->addresses) + 1;
}

std::uint64_t number_of_condition(const void* condition, std::uint64_t lock) {
  const std::uint64_t number = number_of_lock(condition);
  if (number != 0)
    __atomic_store_n(&objects_of_process()->of[number - 1].guard, lock, __ATOMIC_RELAXED);
  return number;
}

void note_outer_lock(std::uint64_t condition, std::uint64_t lock) {
  if (condition != 0)
    __atomic_store_n(&objects_of_process()->of[condition - 1].outer, lock, __ATOMIC_RELAXED);
}

void forget_lock(const void* lock) {
  if (timed_every().locks == 0) return;
  objects_block* const all = objects_of_process();
  object_address* const place = all == nullptr ? nullptr : place_of(all->addresses, lock, false);
  if (place != nullptr) __atomic_fetch_or(&place->address, 1, __ATOMIC_RELEASE);
}

void follow_owners_at(std::uint64_t stamp) {
  const bool always = timed_every().locks == 1;
  const std::uint64_t turn = always ? 1 : stamp >> 20U;
  const bool follows = always || turn % 16 == 0;
  if (follows && turn != __atomic_load_n(&followed_turn, __ATOMIC_RELAXED))
    __atomic_store_n(&followed_turn, turn, __ATOMIC_RELAXED);
  if (follows != __atomic_load_n(&follows_owners, __ATOMIC_RELAXED))
    __atomic_store_n(&follows_owners, follows, __ATOMIC_RELAXED);
}

void follow_release(const void* lock) {
  objects_block* const all = objects_of_process();
  const object_address* const place =
      all == nullptr ? nullptr : place_of(all->addresses, lock, false);
  if (place == nullptr) return;
  object_counts& of = all->of[place - all->addresses];
  const std::uint64_t own = mark_of_thread();
  std::uint64_t before = __atomic_load_n(&of.last_owner, __ATOMIC_RELAXED);
  if (before != own) before = __atomic_exchange_n(&of.last_owner, own, __ATOMIC_ACQ_REL);
  if (!is_of_turn(before, own)) return;
  __atomic_fetch_add(&of.followed, 1, __ATOMIC_RELAXED);
  if (before != own) __atomic_fetch_add(&of.owner_changes, 1, __ATOMIC_RELAXED);
}

}  // namespace syncmeter::probe
