// The study `regions`.
#include "driver/plan/study.hpp"

namespace syncmeter {

study regions_study() {
  const study_axes constructs{.lanes = lane_set::powers,
                              .waits = {wait_policy::active, wait_policy::passive}};
  // Uses one iteration, and the number in loops with chunks.
  study_axes whole_loops = constructs;
  whole_loops.sizes = {1, 128};
  study_axes chunks = constructs;
  chunks.sizes = {1, 16, 128};
  study_axes tasks = constructs;
  tasks.sizes = {1, 64};
  // A team's wake-up time depends on its sleep time.
  study_axes after_gaps = constructs;
  after_gaps.lanes = lane_set::max;
  after_gaps.gaps_us = {0, 1, 10, 100, 1000, 10'000};
  study_axes teams = constructs;
  teams.lanes = lane_set::two_and_max;
  // Their threads wait by the APIs' own policy.
  study_axes other_apis = teams;
  other_apis.waits = {wait_policy::active};
  return {.place = 21,
          .name = "regions",
          .purpose =
              "parallel regions, loops, reductions and tasks, by threads, chunk and idle gap",
          .rules = {{.ops = {"parallel_region", "parallel_for", "reduction_sum", "reduction_max",
                             "reduction_array", "reduction_declared", "for_nowait",
                             "simd_reduction", "sections", "single", "single_copyprivate", "masked",
                             "ordered", "taskwait", "taskgroup", "cancellation_point"},
                     .axes = constructs},
                    {.ops = {"for_static"}, .axes = whole_loops},
                    {.ops = {"for_static_chunk", "for_dynamic", "for_guided"}, .axes = chunks},
                    {.ops = {"task_by_*", "taskloop", "task_chain", "taskwait_by_one", "task_fan"},
                     .axes = tasks},
                    {.ops = {"parallel_region_fewer", "region_after_resize", "nested_region",
                             "first_region"},
                     .axes = teams},
                    {.ops = {"region_after_gap"}, .axes = after_gaps},
                    {.ops = {"thread_create_join", "jthread_create_join", "async_get",
                             "pool_submit_wait", "tbb_parallel_*", "tbb_task_group", "tbb_arena",
                             "std_par_for_each"},
                     .axes = other_apis},
                    {.ops = {"launch_for", "launch_team*", "launch_reduce", "launch_mdrange*"},
                     .axes = constructs}},
          .others = constructs,
          .pace = study_pace{.precision = 0.02, .max_time_s = 0.06, .many = 64},
          .native_only = true,
          .ops_together = true,
          .also = {"omp-llvm", "std", "libraries"},
          .left_out = "affinities other than close; other chunks, numbers of tasks and gaps unless "
                      "--size and --gap name them; Kokkos unless --backend names it"};
}

}  // namespace syncmeter
