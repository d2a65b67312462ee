#include "driver/studies/lock_studies.hpp"

namespace syncmeter {

// atomic_add is what a lock around one add stands against. Every backend is in it: which lock to
// take is a question between APIs.
study locks_study() {
  const study_axes one_lock{.placements = {placement::shared}, .lanes = lane_set::powers};
  const study_axes own_locks{
      .placements = {placement::strided}, .strides_bytes = {apart_bytes}, .lanes = lane_set::max};
  const std::vector<std::string_view> objects{
      "lock_add",        "lock_hint_*",      "nest_lock_add", "spin_lock_add",
      "ticket_lock_add", "shared_mutex_add", "atomic_add"};
  return {
      .name = "locks",
      .purpose =
          "every lock around one add: uncontended, shared by 2, 4, ... lanes, one for each lane",
      .rules = {{.ops = {"critical_add"}, .except = {}, .axes = one_lock},
                {.ops = objects, .except = {}, .axes = one_lock},
                {.ops = objects, .except = {}, .axes = own_locks}},
      .others = one_lock,
      .gpu = {},
      .native_only = true,
      .ops_together = true,
      .also = {"omp-llvm", "std"},
      .left_out = "types other than int32; critical sections longer than one add; affinity spread; "
                  "portable backends unless --backend names them"};
}

// Cells on pages of their own, so that lanes meet in a cell and nowhere else. Neighbouring lanes
// share one: where a policy puts neighbours decides how far apart the lanes of a cell are.
study contention_study() {
  const study_axes shared_cells{.placements = {placement::strided},
                                .strides_bytes = {apart_bytes},
                                .shared_cells = true,
                                .lanes = lane_set::powers,
                                .affinities = {affinity::close, affinity::spread, affinity::smt},
                                .watch_states = true};
  return {.name = "contention",
          .purpose = "throughput and fairness of lanes that share 1, 2, 4, ... cells, near and far",
          .rules = {{.ops = {"atomic_add", "lock_add"}, .except = {}, .axes = shared_cells}},
          .others = shared_cells,
          .gpu = {},
          .native_only = true,
          .layouts_together = true,
          .left_out = "types other than int32; ops other than atomic_add and lock_add; numbers of "
                      "cells that do not divide the number of lanes; unbound lanes; portable "
                      "backends, and std beside another backend, unless --backend names them"};
}

}  // namespace syncmeter
