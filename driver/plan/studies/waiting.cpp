// The study `waiting`. Visits all ways at one lateness alternately, because only differences
// between ways count. The OpenMP barriers show both ends of their settings.

#include "driver/plan/study.hpp"

namespace syncmeter {

study waiting_study() {
  const study_axes late{.lanes = lane_set::two, .lates_us = {1, 10, 100, 1000, 10'000}};
  study_axes barriers = late;
  barriers.waits = {wait_policy::active, wait_policy::passive};
  const study_axes beside{.lanes = lane_set::one_and_two,
                          .affinities = {affinity::close, affinity::smt}};
  return {.place = 10,
          .name = "waiting",
          .purpose = "spin or sleep: costs of waiting, and how long to spin first",
          .rules = {{.ops = {"wait_*"}, .axes = late},
                    {.ops = {"spin_pause"}, .axes = {}},
                    {.ops = {"work_beside_*"}, .axes = beside},
                    {.ops = {"barrier_late"}, .axes = barriers}},
          .others = late,
          .pace = study_pace{.precision = 0.02, .max_time_s = 0.15, .many = 32},
          .native_only = true,
          .ops_together = true,
          .waits_together = true,
          .also = {"omp-llvm", "std", "posix"},
          .left_out = "more than one waiting thread; affinity spread; portable backends unless "
                      "--backend names them"};
}

}  // namespace syncmeter
