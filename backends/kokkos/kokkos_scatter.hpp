// A sum that lanes contribute to through a ScatterView, and its oracle.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include <Kokkos_Core.hpp>
#include <Kokkos_ScatterView.hpp>
#include <fmt/format.h>

#include "core/harness/oracle.hpp"

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
  /// right, else what was expected and what was seen. With copies a float stops at 2^24 in each.
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

}  // namespace syncmeter::kokkos
