// The study `contention`. Cells have their own pages, because lanes must share nothing but a cell.
// Neighbouring lanes share a cell: the policy decides the distance between lanes on a cell.
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
