// The study `contention`. Cells on pages of their own, so that lanes meet in a cell and nowhere
// else. Neighbouring lanes share one: where a policy puts neighbours decides how far apart the
// lanes of a cell are.
#include "driver/plan/study.hpp"

namespace syncmeter {

study contention_study() {
  const study_axes shared_cells{.placements = {placement::strided},
                                .strides_bytes = {apart_bytes},
                                .shared_cells = true,
                                .lanes = lane_set::powers,
                                .affinities = {affinity::close, affinity::spread, affinity::smt},
                                .watch_states = true};
  return {.place = 12,
          .name = "contention",
          .purpose = "throughput and fairness of threads that share 1, 2, 4, ... variables",
          .rules = {{.ops = {"atomic_add", "lock_add"}, .axes = shared_cells}},
          .others = shared_cells,
          .native_only = true,
          .layouts_together = true,
          .left_out =
              "types other than int32; operations other than atomic_add and lock_add; numbers of "
              "variables that do not divide the number of threads; unbound threads; portable "
              "backends, and std beside another backend, unless --backend names them"};
}

}  // namespace syncmeter
