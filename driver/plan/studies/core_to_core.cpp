// The study `core-to-core`. Each pair gets few and short visits: 16 PUs have 120 of them. Both ops
// wait for the same token, so their difference is the way of waiting.
#include "driver/plan/study.hpp"

namespace syncmeter {

study core_to_core_study() {
  const study_axes axes{.homes = {home::first}, .pairs = true};
  return {.place = 8,
          .name = "core-to-core",
          .purpose = "latency of a cache line between every pair of CPUs, as a matrix",
          .rules = {{.ops = {"handoff", "handoff_cas"}, .axes = axes}},
          .others = axes,
          .pace = study_pace{.precision = 0.02,
                             .max_time_s = 0.03,
                             .min_sample_us = 50,  // more rounds, and so more of the mailboxes'
                                                   // places
                             // A neighbour's load on the caches comes and goes within seconds:
                             // six short visits see more of it than three long ones.
                             .many = 64,
                             .visits_of_many = 6,
                             .longest_s = 60},
          .native_first = true};
}

}  // namespace syncmeter
