// Runs something on all lanes at once, each a thread of Kokkos' pool.
#pragma once

#include <algorithm>
#include <set>
#include <thread>
#include <vector>

#include "backends/kokkos/kokkos_calls.hpp"
#include "core/host/host_rig.hpp"

namespace syncmeter::kokkos {

/// The team member that this thread is, while a team runs; null where lanes are no team.
template <class Space> inline thread_local const member_of<Space>* this_member = nullptr;

// Lane 0 is the thread that launches, whatever its rank in Kokkos: it is the one that the rig frees
// again.
template <class Space> unsigned lane_of_rank(int rank, unsigned lanes) {
  const auto from_first = static_cast<unsigned>(rank);
  return space_traits<Space>::launches_from_last ? lanes - 1 - from_first : from_first;
}

template <class Space, class Body> struct team_functor {
  const Body* body;
  unsigned lanes;
  void operator()(const member_of<Space>& member) const {
    this_member<Space> = &member;
    (*body)(lane_of_rank<Space>(member.team_rank(), lanes));
    this_member<Space> = nullptr;
  }
};

template <class Space, class Body> struct range_functor {
  const Body* body;
  unsigned lanes;
  void operator()(int index) const { (*body)(lane_of_rank<Space>(index, lanes)); }
};

/// The largest team of this space; Kokkos must be up.
template <class Space> unsigned largest_team() {
  struct nothing {
    void operator()(const member_of<Space>&) const {}
  };
  return static_cast<unsigned>(
      Kokkos::TeamPolicy<Space>(1, 1).team_size_max(nothing{}, Kokkos::ParallelForTag{}));
}

/// Runs body(lane) on all lanes at once: one team of them, or one index of a range for each thread
/// where a team cannot be as large. The pool must have as many threads as there are lanes.
template <class Space, class Body> void on_all_lanes(unsigned lanes, const Body& body) {
  const int count = static_cast<int>(lanes);
  if (lanes <= largest_team<Space>()) {
    Kokkos::parallel_for("syncmeter", Kokkos::TeamPolicy<Space>(1, count),
                         team_functor<Space, Body>{&body, lanes});
  } else {
    using range = Kokkos::RangePolicy<Space, Kokkos::Schedule<Kokkos::Static>>;
    Kokkos::parallel_for("syncmeter", range(0, count, Kokkos::ChunkSize(1)),
                         range_functor<Space, Body>{&body, lanes});
  }
  Space().fence();
}

template <class Space> bool run_team(unsigned lanes, lane_body body, bench& rig) {
  on_all_lanes<Space>(lanes, [&](unsigned lane) { body(rig, lane); });
  return true;
}

/// Whether every lane runs once, on a thread of its own, and lane 0 on this one. Lanes that do not
/// would wait for each other for ever.
template <class Space> bool lanes_are_threads(unsigned lanes) {
  std::vector<std::thread::id> threads(lanes);
  std::vector<int> runs(lanes);
  on_all_lanes<Space>(lanes, [&](unsigned lane) {
    if (lane >= lanes) return;
    threads[lane] = std::this_thread::get_id();
    ++runs[lane];
  });
  const std::set<std::thread::id> different(threads.begin(), threads.end());
  return std::ranges::all_of(runs, [](int n) { return n == 1; }) && different.size() == lanes &&
         threads[0] == std::this_thread::get_id();
}

}  // namespace syncmeter::kokkos
