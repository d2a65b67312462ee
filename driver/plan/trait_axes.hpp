// The axes that only ops with a trait have, a row each: the planner of CPUs, the options of `run`
// and what a results file keeps of them go through these rows.
#pragma once

#include <array>
#include <vector>

#include "core/point.hpp"
#include "driver/plan/options.hpp"
#include "driver/plan/study.hpp"
#include "driver/workers/worker_info.hpp"

namespace syncmeter {

struct trait_axis {
  unsigned point::* axis;
  bool capability::* trait;  ///< ops without it have 0 on this axis
  std::vector<unsigned> run_options::* of_user;
  std::vector<unsigned> study_axes::* of_study;
  const char *option, *help, *member;  ///< of `run`, and of the options in a results file
  unsigned most;
};

inline constexpr std::array<trait_axis, 4> trait_axes{
    {{&point::late_us, &capability::arrives_late, &run_options::lates_us, &study_axes::lates_us,
      "late",
      "for ops with a late lane: microseconds by which it arrives after the others, 0 to 10000 "
      "(default: 10; in barrier 0,1,10,100; in waiting 1 to 10000)",
      "lates_us", 10'000},
     {&point::section_ns, &capability::holds_lock, &run_options::sections_ns,
      &study_axes::sections_ns, "section",
      "for ops that hold a lock for a while: nanoseconds of work under it, 0 to 1000000 (default: "
      "0; in locks 0,50,500)",
      "sections_ns", 1'000'000},
     {&point::think_ns, &capability::holds_lock, &run_options::thinks_ns, &study_axes::thinks_ns,
      "think",
      "for the same ops: nanoseconds of work between two sections, 0 to 1000000 (default: 0; in "
      "locks 0,500)",
      "thinks_ns", 1'000'000},
     {&point::reads_per_write, &capability::reads_and_writes, &run_options::reads_per_write,
      &study_axes::reads_per_write, "reads-per-write",
      "for ops that read and write one datum: reads of each thread for each of its writes, 0 (only "
      "writes) to 1000000 (default: 10; in read-mostly 1 to 100000)",
      "reads_per_write", 1'000'000}}};

}  // namespace syncmeter
