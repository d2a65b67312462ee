#include "driver/studies/lock_studies.hpp"

namespace syncmeter {

// atomic_add is what a lock around one add stands against. Every backend is in it: which lock to
// take is a question between APIs.
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
  return {.name = "locks",
          .purpose =
              "every lock around one add and longer sections: alone, shared, and one for each lane",
          .rules = {{.ops = {"critical_add"}, .except = {}, .axes = one_lock},
                    {.ops = objects, .except = not_objects, .axes = one_lock},
                    {.ops = objects, .except = not_objects, .axes = own_locks},
                    {.ops = {"*_held"}, .except = {}, .axes = held},
                    {.ops = {"*_held"}, .except = {}, .axes = with_pauses},
                    {.ops = {"*_held"}, .except = {}, .axes = one_too_many}},
          .others = one_lock,
          .gpu = {},
          .native_only = true,
          .ops_together = true,
          .also = {"omp-llvm", "std", "posix", "libraries"},
          .left_out =
              "types other than int32; affinity spread; other sections and pauses unless --section "
              "and --think name them; more lanes than processing units unless "
              "--oversubscribe is given; "
              "portable backends unless --backend names them"};
}

// The whole curve of ratios at one size, then other sizes at one ratio.
study read_mostly_study() {
  const study_axes ratios{.lanes = lane_set::powers,
                          .reads_per_write = {1, 10, 100, 1000, 10'000, 100'000},
                          .sizes = {64}};
  study_axes sizes = ratios;
  sizes.reads_per_write = {100};
  sizes.sizes = {8, 256};
  return {.name = "read-mostly",
          .purpose = "one datum that many read and few write: by locks, seqlock, snapshot",
          .rules = {{.ops = {"*_read_mostly"}, .except = {}, .axes = ratios},
                    {.ops = {"*_read_mostly"}, .except = {}, .axes = sizes}},
          .others = sizes,
          .gpu = {},
          .native_only = true,
          .ops_together = true,
          .also = {"std", "posix", "libraries"},
          .left_out = "sizes other than 64 bytes at ratios other than 100 reads a write; affinity "
                      "spread; lanes that only read beside lanes that only write"};
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
