// The study `locks`. atomic_add is what a lock around one add stands against. Every backend is in
// it: which lock to take is a question between APIs.
#include "driver/plan/study.hpp"

namespace syncmeter {

study locks_study() {
  const study_axes one_lock{.placements = {placement::shared}, .lanes = lane_set::powers};
  const study_axes own_locks{
      .placements = {placement::strided}, .strides_bytes = {apart_bytes}, .lanes = lane_set::max};
  // By the ends of their names, so that a backend's locks of other names are in it.
  const std::vector<std::string_view> objects{"*lock_add",   "*lock_*_add", "*mutex_add",
                                              "mutex_*_add", "*spin_add",   "atomic_add",
                                              "@critical"};
  const std::vector<std::string_view> not_objects{"*_held", "*_read_mostly"};
  // From no work under the lock to more than a handoff takes, then with time between sections.
  const study_axes held{.lanes = lane_set::max, .sections_ns = {0, 50, 500}};
  study_axes with_pauses = held;
  with_pauses.sections_ns = {50};
  with_pauses.thinks_ns = {500};
  // One lane more than PUs: whoever waits in line may be waiting for a lane that does not run.
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
