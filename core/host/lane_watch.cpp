#include "core/host/lane_watch.hpp"

#include <sys/resource.h>

#include "core/machine/topology.hpp"

namespace syncmeter {

long involuntary_switches() {
  rusage usage{};
  if (getrusage(RUSAGE_THREAD, &usage) != 0) return 0;
  return usage.ru_nivcsw;
}

void lane_watch::look_before() {
  switches = involuntary_switches();
  quiet_before_ns = quiet_probe_ns();
  core_ghz = read_core_clock_ghz();
  pu_before = current_pu();
}

void lane_watch::look_after() {
  pu_after = current_pu();
  quiet_after_ns = quiet_probe_ns();
  switches = involuntary_switches() - switches;
}

void judge_lane(sample& taken, const lane_watch& seen, const lane_bounds& bounds,
                double& floor_ns) {
  const double slowest_ns = seen.slowest_probe_ns();
  floor_ns = std::min({floor_ns, seen.quiet_before_ns, seen.quiet_after_ns});
  taken.busy = taken.busy || slowest_ns * bounds.at_full_clock > busy_ratio * floor_ns;
  if (seen.switches > 0 && !bounds.takes_turns) taken.dropped = drop::preempted;
  if (bounds.pu >= 0 && (seen.pu_before != bounds.pu || seen.pu_after != bounds.pu))
    taken.dropped = drop::moved;
}

}  // namespace syncmeter
