// The lane of Kokkos' host execution spaces: a team member. Also the sum that lanes contribute to
// through a ScatterView, with its oracle.
#pragma once

#include <any>
#include <cstdint>
#include <string>
#include <type_traits>

#include <Kokkos_Core.hpp>
#include <Kokkos_ScatterView.hpp>
#include <fmt/format.h>

#include "backends/kokkos/kokkos_calls.hpp"
#include "backends/kokkos/kokkos_team.hpp"
#include "backends/kokkos/kokkos_words.hpp"
#include "core/harness/oracle.hpp"
#include "core/host/host_lane.hpp"

namespace syncmeter::kokkos {

/// Sum in element 0 of an array with two lines, which keeps copies on separate lines. `own` is
/// Kokkos' default for the space: with threads, each thread adds to a private copy. `atomic` has no
/// copies and adds atomically.
template <class Space, class T> struct scatter_sum {
  Kokkos::View<T*, Space> total{"syncmeter", 128 / sizeof(T)};

  static auto contributions(const Kokkos::View<T*, Space>& to) {
    return Kokkos::Experimental::create_scatter_view(to);
  }
  static auto atomic_contributions(const Kokkos::View<T*, Space>& to) {
    using namespace Kokkos::Experimental;
    return create_scatter_view<ScatterSum, ScatterNonDuplicated, ScatterAtomic>(to);
  }
  static auto copied_contributions(const Kokkos::View<T*, Space>& to) {
    using namespace Kokkos::Experimental;
    return create_scatter_view<ScatterSum, ScatterDuplicated, ScatterNonAtomic>(to);
  }
  static constexpr bool copies =
      std::is_same_v<decltype(contributions(total)), decltype(copied_contributions(total))>;

  decltype(contributions(total)) own = contributions(total);
  decltype(atomic_contributions(total)) atomic = atomic_contributions(total);

  void reset() {
    Kokkos::deep_copy(total, T{0});
    own.reset();
    atomic.reset_except(total);
  }

  /// Gathers the contributions: `ops` ones by each of `lanes` lanes. Returns an empty text, or the
  /// expected and the found sum. A float stops at 2^24 in each copy.
  std::string check(std::uint64_t ops, unsigned lanes, bool by_atomics) {
    if (by_atomics) Kokkos::Experimental::contribute(total, atomic);
    else Kokkos::Experimental::contribute(total, own);
    Kokkos::fence();
    const bool copied = copies && !by_atomics;
    const T part = after_ones(T{0}, copied ? ops : ops * lanes, true);
    T expected = part;
    for (unsigned i = 1; copied && i < lanes; ++i) expected = static_cast<T>(expected + part);
    if (total(0) == expected) return {};
    return fmt::format("oracle: the sum is {} after {} contributions by each of {} threads, "
                       "expected {}",
                       total(0), ops, lanes, expected);
  }
};

/// Objects that a worker's lanes share besides cells.
struct shared_objects {
  alignas(128) int lock = 0;
  char rest_of_its_lines[128 - sizeof(int)]{};
  std::any scatter{};       ///< scatter_sum for the point's space and type, if needed
  reduction_array input{};  ///< input of reductions
};

[[nodiscard]] inline shared_objects& shared(const lane_setup& s) {
  return *static_cast<shared_objects*>(s.backend);
}

template <class Space, class T, order O>
class lane : public host_lane<T>, public words<T, O>, ring_registers {
  static constexpr bool counts = std::is_same_v<T, std::int32_t>;  // type for ops without a type

 public:
  using space = Space;

  explicit lane(const lane_setup& s)
      : host_lane<T>{s}, ring_registers{s}, member_{this_member<Space>}, lanes_{s.lanes},
        lock_{&shared(s).lock}, input_{&shared(s).input} {
    // Kokkos sums numbers, but not owner notes.
    if constexpr (std::is_arithmetic_v<T>)
      scatter_ = std::any_cast<scatter_sum<Space, T>>(&shared(s).scatter);
  }

  SM_FN void barrier() const { team_barrier(*member_); }

  // All lanes have the same operand, which changes each time.
  SM_FN void team_broadcast()
    requires counts
  {
    this->tally_wrong(kokkos::team_broadcast(*member_, next_word()));
  }
  SM_FN void team_reduce()
    requires counts
  {
    this->tally_wrong(kokkos::team_reduce(*member_, next_word()));
  }

  // Words of the launching thread, outside any team.
  SM_FN void host_fence() const { fence_all(); }
  SM_FN void launch_for() const { kokkos::launch_for(on_space<Space>{}, lanes_); }
  SM_FN void launch_team() const { kokkos::launch_team(on_space<Space>{}, lanes_); }
  SM_FN void launch_reduce()
    requires counts
  {
    this->tally_wrong(kokkos::launch_reduce(on_space<Space>{}, lanes_, next_word()));
  }
  SM_FN void launch_mdrange() const { kokkos::launch_mdrange(on_space<Space>{}, lanes_); }
  SM_FN void launch_mdrange_reduce()
    requires counts
  {
    this->tally_wrong(kokkos::launch_mdrange_reduce(on_space<Space>{}, lanes_, next_word()));
  }
  SM_FN void launch_team_reduce()
    requires counts
  {
    this->tally_wrong(kokkos::launch_team_reduce(on_space<Space>{}, lanes_, next_word()));
  }

  SM_FN void reduce_max()
    requires(!std::is_same_v<T, std::uint32_t>)
  {
    this->tally_wrong(kokkos::reduce_max(on_space<Space>{}, *input_, T{}));
  }

  // Prevents merging all additions of a trip.
  SM_FN void scatter_add(T by) const {
    scatter_->own.access()(0) += by;
    asm volatile("" ::: "memory");
  }
  SM_FN void scatter_add_atomic(T by) const
    requires has_atomics
  {
    scatter_->atomic.access()(0) += by;
    asm volatile("" ::: "memory");
  }

  // Kokkos has no critical section. A UniqueToken is not a lock: each thread gets a different
  // index. A host thread aborts if no index is left (Kokkos_UniqueToken.hpp: "It is required that
  // max_size is >= the maximum number of concurrent threads").
  // Users therefore write this lock, like Kokkos' own atomics on large types. An atomic acquires
  // the lock, and a fence on each side is needed because atomics are relaxed.
  SM_FN void critical_add(T& x, T by) const
    requires has_atomics
  {
    while (Kokkos::atomic_compare_exchange(lock_, 0, 1) != 0) {
    }
    Kokkos::load_fence();
    this->plain_write(x, static_cast<T>(this->plain_read(x) + by));
    Kokkos::store_fence();
    Kokkos::atomic_store(lock_, 0);
  }

  SM_FN void await_token() const
    requires has_atomics
  {
    while (Kokkos::atomic_load(mailbox_) != expected_) {
    }
    Kokkos::load_fence();
  }
  SM_FN void take_token() const
    requires has_atomics
  {
    while (Kokkos::atomic_compare_exchange(mailbox_, expected_, no_token) != expected_) {
    }
    Kokkos::load_fence();
  }
  SM_FN void pass_token()
    requires has_atomics
  {
    Kokkos::store_fence();
    Kokkos::atomic_store(next_mailbox_, expected_ + bump_);
    ++expected_;
    make_opaque(expected_);  // prevents the compiler from computing and spilling all tokens of a
                             // trip
  }

 private:
  SM_FN std::uint32_t next_word() { return static_cast<std::uint32_t>(this->operand_up()); }

  const member_of<Space>* member_;
  const scatter_sum<Space, T>* scatter_ = nullptr;
  unsigned lanes_;
  int* lock_;
  const reduction_array* input_;
};

}  // namespace syncmeter::kokkos
