// The words of Kokkos' own ops, as concepts: what a lane must offer for an op to run on it.
#pragma once

namespace syncmeter::kokkos {

// Collectives of a team, each of which checks what it got.
template <class L>
concept has_team_words = requires(L& l) {
  l.team_broadcast();
  l.team_reduce();
};

// What the host does, outside any parallel region.
template <class L>
concept has_host_words = requires(L& l) {
  l.host_fence();
  l.launch_for();
  l.launch_team();
  l.launch_reduce();
};

// Contributions to the sum of a ScatterView.
template <class L> concept has_scatter_add = requires(L& l) { l.scatter_add(l.one()); };
template <class L>
concept has_scatter_add_atomic = requires(L& l) { l.scatter_add_atomic(l.one()); };

}  // namespace syncmeter::kokkos
