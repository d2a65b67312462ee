// The lane of Kokkos' execution spaces on the host: a member of a team; and the sum that lanes
// contribute to through a ScatterView, with its oracle.
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

/// Element 0 of an array that is two lines long, so that copies of it do not share one. `own` does
/// as Kokkos does by default in this space: where there are threads, each adds to a copy of its
/// own. `atomic` has no copies, and adds atomically.
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

  /// Gathers what was contributed, `ops` ones by each of `lanes` lanes. Empty when the sum is
  /// right, else what was expected and what was found. With copies a float stops at 2^24 in each.
  std::string check(std::uint64_t ops, unsigned lanes, bool by_atomics) {
    if (by_atomics) Kokkos::Experimental::contribute(total, atomic);
    else Kokkos::Experimental::contribute(total, own);
    Kokkos::fence();
    const bool copied = copies && !by_atomics;
    const T part = after_ones(T{0}, copied ? ops : ops * lanes, true);
    T expected = part;
    for (unsigned i = 1; copied && i < lanes; ++i) expected = static_cast<T>(expected + part);
    if (total(0) == expected) return {};
    return fmt::format("oracle: the sum is {} after {} contributions by each of {} lanes, "
                       "expected {}",
                       total(0), ops, lanes, expected);
  }
};

/// What the lanes of a worker share beside cells.
struct shared_objects {
  alignas(128) int lock = 0;
  char rest_of_its_lines[128 - sizeof(int)]{};
  std::any scatter{};       ///< the scatter_sum of the point's space and type, where it needs one
  reduction_array input{};  ///< what is reduced
};

[[nodiscard]] inline shared_objects& shared(const lane_setup& s) {
  return *static_cast<shared_objects*>(s.backend);
}

template <class Space, class T, order O>
class lane : public host_lane<T>, public words<T, O>, ring_registers {
  static constexpr bool counts = std::is_same_v<T, std::int32_t>;  // what ops without a type get

 public:
  using space = Space;

  explicit lane(const lane_setup& s)
      : host_lane<T>{s}, ring_registers{s}, member_{this_member<Space>}, lanes_{s.lanes},
        lock_{&shared(s).lock}, input_{&shared(s).input} {
    // Kokkos sums numbers alone, not owner notes.
    if constexpr (std::is_arithmetic_v<T>)
      scatter_ = std::any_cast<scatter_sum<Space, T>>(&shared(s).scatter);
  }

  SM_FN void barrier() const { team_barrier(*member_); }

  // All lanes have the same operand, another one each time.
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

  // What the thread that launches does, outside any team.
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

  // The additions of a whole trip must not be made one.
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

  // Kokkos has no critical section, and its UniqueToken is none: that one hands out different
  // indices to as many threads as ask for one, and on the host it aborts when none is left ("It is
  // required that max_size is >= the maximum number of concurrent threads",
  // Kokkos_UniqueToken.hpp). What it gives its users is the lock that they write themselves, as its
  // own atomics on large types do: taken by an atomic, with a fence on each side, for the atomics
  // are relaxed.
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
    make_opaque(expected_);  // or the tokens of a whole trip are worked out ahead, and spilled
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
