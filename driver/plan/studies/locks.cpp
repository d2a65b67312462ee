// The study `locks`. A lock around one add is compared with atomic_add. Every backend is included,
// because users choose locks between APIs.
#include "driver/plan/study.hpp"

namespace syncmeter {

study locks_study() {
  const study_axes one_lock{.placements = {placement::shared}, .lanes = lane_set::powers};
  const study_axes own_locks{
      .placements = {placement::strided}, .strides_bytes = {apart_bytes}, .lanes = lane_set::max};
  // Patterns match name ends, because backends have locks with other names.
  const std::vector<std::string_view> objects{"*lock_add",   "*lock_*_add", "*mutex_add",
                                              "mutex_*_add", "*spin_add",   "atomic_add",
                                              "@critical"};
  const std::vector<std::string_view> not_objects{"*_held", "*_read_mostly"};
  // Sections last from nothing to more than a handoff takes, then have time between them.
  const study_axes held{.lanes = lane_set::max, .sections_ns = {0, 50, 500}};
  study_axes with_pauses = held;
  with_pauses.sections_ns = {50};
  with_pauses.thinks_ns = {500};
  // With one lane more than PUs, a lane in a queue may wait for a lane that does not run.
  study_axes one_too_many = with_pauses;
  one_too_many.one_lane_more_on_request = true;
  return {.place = 11,
          .name = "locks",
          .purpose = "every lock, uncontended and contended, around short and long sections",
          .rules = {{.ops = {"critical_add"}, .axes = one_lock},
                    {.ops = objects, .except = not_objects, .axes = one_lock},
                    {.ops = objects, .except = not_objects, .axes = own_locks},
                    {.ops = {"*_held"}, .axes = held},
                    {.ops = {"*_held"}, .axes = with_pauses},
                    {.ops = {"*_held"}, .axes = one_too_many}},
          .others = one_lock,
          .native_only = true,
          .ops_together = true,
          .also = {"omp-llvm", "std", "posix", "libraries"},
          .left_out =
              "types other than int32; affinity spread; other sections and pauses unless --section "
              "and --think name them; more threads than CPUs unless "
              "--oversubscribe is given; "
              "portable backends unless --backend names them"};
}

}  // namespace syncmeter
