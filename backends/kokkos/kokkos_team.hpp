// Runs a function on all lanes at once, each lane on a thread of Kokkos' pool.
#pragma once

#include <algorithm>
#include <set>
#include <thread>
#include <vector>

#include "backends/kokkos/kokkos_calls.hpp"
#include "core/host/host_rig.hpp"

namespace syncmeter::kokkos {

/// Team member of this thread while a team runs. Null if lanes are not a team.
template <class Space> inline thread_local const member_of<Space>* this_member = nullptr;

// Maps the launching thread to lane 0, whatever its rank in Kokkos, because the rig unbinds this
// thread later.
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

/// Returns the largest team of this space. Kokkos must be initialized.
template <class Space> unsigned largest_team() {
  struct nothing {
    void operator()(const member_of<Space>&) const {}
  };
  return static_cast<unsigned>(
      Kokkos::TeamPolicy<Space>(1, 1).team_size_max(nothing{}, Kokkos::ParallelForTag{}));
}

/// Runs body(lane) on all lanes at once: as one team, or as a range with an index per thread if
/// lanes exceed the largest team. The pool must have a thread per lane.
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

/// Returns whether every lane runs once on a separate thread, with lane 0 on this thread. Otherwise
/// lanes would wait for each other forever.
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
