// The study `core-to-core`. Each pair gets few and short visits, because 16 PUs have 120 pairs.
// Both ops wait for the same token, so only the wait differs.
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
                             .min_sample_us = 50,  // gives more rounds, and so more mailbox places
                             // A neighbour's load on the caches comes and goes within seconds: six
                             // short visits see more load changes than three long visits.
                             .many = 64,
                             .visits_of_many = 6,
                             .longest_s = 60},
          .native_first = true};
}

}  // namespace syncmeter
