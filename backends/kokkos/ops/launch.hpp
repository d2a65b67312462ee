// What the host pays to start work and to wait for it: lane 0 alone runs the loop, the point's
// lanes are the threads that it starts. test - baseline == one more launch, straight after the last
// one, when the threads have not gone to sleep unless they do so at once.
#pragma once

#include "backends/kokkos/ops/words.hpp"
#include "core/op.hpp"

namespace syncmeter::kokkos::ops {

consteval op_info launch_info(std::string_view name, std::string_view note) {
  return {.name = name,
          .family = family::launch,
          .unroll = 1,
          .communicates = true,
          .host_lane = true,
          .note = note};
}

struct kokkos_fence {
  static constexpr op_info info = {.name = "kokkos_fence",
                                   .family = family::launch,
                                   .unroll = 1,
                                   .host_lane = true,
                                   .note = "Kokkos::fence() with no kernel outstanding"};
  SM_FN static void common(has_host_words auto& lane) { lane.host_fence(); }
  SM_FN static void measured(has_host_words auto& lane) { lane.host_fence(); }
};

struct launch_for {
  static constexpr op_info info =
      launch_info("launch_for", "an empty parallel_for, one index per lane, then Kokkos::fence()");
  SM_FN static void common(has_host_words auto& lane) { lane.launch_for(); }
  SM_FN static void measured(has_host_words auto& lane) { lane.launch_for(); }
};

struct launch_team {
  static constexpr op_info info = [] {
    op_info team = launch_info(
        "launch_team", "an empty parallel_for over one team of all lanes, then Kokkos::fence()");
    team.starts_team = true;
    return team;
  }();
  SM_FN static void common(has_host_words auto& lane) { lane.launch_team(); }
  SM_FN static void measured(has_host_words auto& lane) { lane.launch_team(); }
};

// Each sum differs from the one before.
struct launch_reduce {
  static constexpr op_info info = [] {
    op_info reduces = launch_info("launch_reduce",
                                  "a parallel_reduce of one int32 per lane, waiting for the sum");
    reduces.oracle = oracle::agreed;
    reduces.unroll = 4;  // one step alone keeps more in registers than several do
    return reduces;
  }();
  SM_FN static void common(has_host_words auto& lane) { lane.launch_reduce(); }
  SM_FN static void measured(has_host_words auto& lane) { lane.launch_reduce(); }
};

}  // namespace syncmeter::kokkos::ops
