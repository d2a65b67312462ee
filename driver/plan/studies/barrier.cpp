// The study `barrier`. Visits runtimes, both wait policies, and late and punctual lanes
// alternately, to compare them.
#include "driver/plan/study.hpp"

namespace syncmeter {

study barrier_study() {
  const study_axes curve{.lanes = lane_set::published,
                         .affinities = {affinity::close, affinity::spread, affinity::smt},
                         .waits = {wait_policy::active, wait_policy::passive},
                         .oversubscribe_on_request = true};
  study_axes late = curve;
  late.lanes = lane_set::two_and_max;
  late.lates_us = {0, 1, 10, 100};
  late.oversubscribe_on_request = false;
  return {.place = 9,
          .name = "barrier",
          .purpose =
              "barriers by number of threads, runtime and wait policy, and with a late thread",
          .rules = {{.ops = {"barrier", "@barrier"}, .axes = curve},
                    {.ops = {"barrier_late"}, .axes = late}},
          .others = curve,
          .pace = study_pace{.precision = 0.02, .max_time_s = 0.15, .many = 128},
          .native_only = true,
          .waits_together = true,
          .also = {"omp-llvm", "std"},
          .left_out = "late threads at numbers of threads other than 2 and all; more threads than "
                      "CPUs unless --oversubscribe is given; unbound threads; portable "
                      "backends unless --backend names them"};
}

}  // namespace syncmeter
