#include "probe/objects.hpp"

#include <iterator>

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

constexpr unsigned table_count = std::size(sizes_of_object_tables);

struct known_object {
  objects_block* table = nullptr;
  object_address* address = nullptr;  // nullptr: the lock is in no table
  [[nodiscard]] std::uint64_t index() const {
    return static_cast<std::uint64_t>(address - table->addresses());
  }
};

// The last table first: a look into a large one ends at a free place, one into a full one does not.
known_object find_object(const void* lock) {
  for (unsigned number = table_count; number-- > 0;) {
    objects_block* const table = objects_of_process(number, false);
    if (table == nullptr) continue;
    if (object_address* const place = place_of(table->addresses(), table->places, lock, false))
      return {table, place};
  }
  return {};
}

/// Returns nullptr for the number 0, the number without a lock.
object_counts* counts_of(std::uint64_t number) {
  for (unsigned at = table_count; number != 0 && at-- > 0;)
    if (objects_block* const table = objects_of_process(at, false);
        table != nullptr && number > table->places_before)
      return &table->counts()[number - table->places_before - 1];
  return nullptr;
}

}  // namespace

constinit bool follows_owners = false;

std::uint64_t find_number(const void* lock) {
  known_object found = find_object(lock);
  // Tables fill up in order: two threads that add the same lock find the same place.
  for (unsigned number = 0; found.address == nullptr && number < table_count; ++number) {
    objects_block* const table = objects_of_process(number, true);
    if (table == nullptr) return 0;
    found = {table, place_of(table->addresses(), table->places, lock, true)};
  }
  return found.address == nullptr ? 0 : found.table->places_before + found.index() + 1;
}

std::uint64_t number_of_condition(const void* condition, std::uint64_t lock) {
  const std::uint64_t number = number_of_lock(condition);
  if (object_counts* const of = counts_of(number))
    __atomic_store_n(&of->guard, lock, __ATOMIC_RELAXED);
  return number;
}

void note_outer_lock(std::uint64_t condition, std::uint64_t lock) {
  if (object_counts* const of = counts_of(condition))
    __atomic_store_n(&of->outer, lock, __ATOMIC_RELAXED);
}

void forget_lock(const void* lock) {
  if (timed_every().locks == 0) return;
  if (const known_object found = find_object(lock); found.address != nullptr)
    __atomic_fetch_or(&found.address->address, 1, __ATOMIC_RELEASE);
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
  const known_object found = find_object(lock);
  if (found.address == nullptr) return;
  object_counts& of = found.table->counts()[found.index()];
  const std::uint64_t own = mark_of_thread();
  std::uint64_t before = __atomic_load_n(&of.last_owner, __ATOMIC_RELAXED);
  if (before != own) before = __atomic_exchange_n(&of.last_owner, own, __ATOMIC_ACQ_REL);
  if (!is_of_turn(before, own)) return;
  __atomic_fetch_add(&of.followed, 1, __ATOMIC_RELAXED);
  if (before != own) __atomic_fetch_add(&of.owner_changes, 1, __ATOMIC_RELAXED);
}

}  // namespace syncmeter::probe
