// Whether a lane's PU was left to it while a loop ran: what the lane notes on both sides of the
// loop, and what follows for the sample. Shared by lanes of a CPU and a host thread that launches.
#pragma once

#include <algorithm>

#include "core/harness/core_probes.hpp"
#include "core/harness/harness.hpp"

namespace syncmeter {

/// Involuntary context switches of the calling thread so far.
[[nodiscard]] long involuntary_switches();

/// What a lane notes of its PU on both sides of a loop; both by the lane itself.
struct lane_watch {
  double quiet_before_ns = 0, quiet_after_ns = 0;
  double core_ghz = 0;  ///< before the loop; 0 where it is not known
  int pu_before = -1, pu_after = -1;
  long switches = 0;  ///< involuntary context switches during the loop

  void look_before();
  void look_after();
  [[nodiscard]] double slowest_probe_ns() const {
    return std::max(quiet_before_ns, quiet_after_ns);
  }
};

/// What a lane is held against.
struct lane_bounds {
  int pu = -1;               ///< that the lane was bound to; -1: none
  double at_full_clock = 1;  ///< core_clock::share_of_fastest()
  /// Lanes that share a PU are switched by its scheduler, and what that costs is the finding.
  bool takes_turns = false;
};

/// Marks the sample busy where a probe was slow, and drops it where the lane was preempted or
/// moved. Lowers `floor_ns`, the fastest probe known, to the probes of this sample.
void judge_lane(sample& taken, const lane_watch& seen, const lane_bounds& bounds, double& floor_ns);

}  // namespace syncmeter
