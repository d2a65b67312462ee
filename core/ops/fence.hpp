// Fences: alone (self-paired, additive), and between two accesses (insert-paired: a marginal cost,
// because the fence can hide behind the accesses or they behind it).
#pragma once

#include "core/op.hpp"
#include "core/ops/words.hpp"

namespace syncmeter::ops {

struct fence : self_paired<fence> {  // test - baseline == one more fence with nothing outstanding
  static constexpr op_info info{.name = "fence",
                                .family = family::fence,
                                .orders = orders::fence,
                                .litmus = litmus::fence,
                                .note = "no memory access outstanding"};
  SM_FN static void common(has_fence auto& lane) { lane.fence(); }
};

consteval op_info fence_between(std::string_view name, enum oracle oracle, std::string_view note) {
  return {.name = name,
          .family = family::fence,
          .pairing = pairing::insert,
          .typed = true,
          .places = places::strided,
          .orders = orders::fence,
          .oracle = oracle,
          .litmus = litmus::fence,
          .note = note};
}

struct fence_between_stores {  // test - baseline == what a fence adds between plain stores to two
                               // arrays
  static constexpr op_info info = fence_between("fence_between_stores", oracle::written_twice,
                                                "marginal cost between two plain stores");
  SM_FN static void before(has_plain_access auto& lane) {
    lane.plain_write(lane.cell(), lane.operand());
  }
  SM_FN static void measured(has_fence auto& lane) { lane.fence(); }
  SM_FN static void after(has_plain_access auto& lane) {
    lane.plain_write(lane.second_cell(), lane.operand());
  }
};

struct fence_between_adds {  // what a fence adds between a plain add to one array and one to
                             // another: the test of "Characterizing CUDA and OpenMP Synchronization
                             // Primitives" (IISWC 2024)
  static constexpr op_info info = fence_between("fence_between_adds", oracle::adds_twice,
                                                "marginal cost between plain adds to two arrays");
  SM_FN static void before(has_plain_access auto& lane) { lane.plain_add(lane.cell()); }
  SM_FN static void measured(has_fence auto& lane) { lane.fence(); }
  SM_FN static void after(has_plain_access auto& lane) { lane.plain_add(lane.second_cell()); }
};

}  // namespace syncmeter::ops
