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
          .purpose = "throughput and fairness of lanes that share 1, 2, 4, ... cells, near and far",
          .rules = {{.ops = {"atomic_add", "lock_add"}, .axes = shared_cells}},
          .others = shared_cells,
          .native_only = true,
          .layouts_together = true,
          .left_out = "types other than int32; ops other than atomic_add and lock_add; numbers of "
                      "cells that do not divide the number of lanes; unbound lanes; portable "
                      "backends, and std beside another backend, unless --backend names them"};
}

}  // namespace syncmeter
