// What binds the ops of the levels of synchronization to their lanes, and the check that a group
// does what it says: what its lanes wrote is seen by all of them after, or a result is the one that
// it has to be.
#pragma once

#include "backends/cuda/levels/levels_rig.hpp"
#include "backends/cuda/ops/levels.cuh"
#include "backends/cuda/rig/cuda_backend.cuh"

namespace syncmeter::cuda {

/// Another one for each place and round.
SM_FN unsigned value_at(unsigned round, unsigned place) {
  return round * 2654435761U + place * 40503U;
}

/// Counts what must not be: after a barrier near and far places of the team are read, in other
/// blocks too where it has them. Accesses are plain, so that only the barrier can order them and
/// drop what L1 holds of the round before.
template <class Op> SM_FN unsigned long long count_wrong(auto& lane, unsigned* board) {
  const auto [first, size, place] = lane.members();
  unsigned* const values = board + first;
  unsigned long long wrong = 0;
  for (unsigned round = 1; round <= litmus_rounds; ++round) {
    const unsigned own = value_at(round, place);
    values[place] = own;
    if constexpr (Op::expects == expected_result::written) {
      Op::measured(lane);
      for (const unsigned far : {1U, lanes_in_block(), size / 2, size - 1}) {
        const unsigned other = (place + far) % size;
        if (values[other] != value_at(round, other)) ++wrong;
      }
      Op::measured(lane);
    } else {
      lane.give(own);
      Op::measured(lane);
      unsigned expected = value_at(round, (place + 1) % size);
      if constexpr (Op::expects == expected_result::sum) {
        expected = 0;
        for (unsigned i = 0; i < size; ++i) expected += value_at(round, i);
      }
      if (lane.taken() != expected) ++wrong;
      lane.meet();
    }
  }
  if constexpr (requires { lane.hung(); }) wrong += lane.hung() ? 1 : 0;
  return wrong;
}

template <class Op, class Lane>
__global__ void __launch_bounds__(largest_block, blocks_per_multiprocessor)
    level_litmus(const kernel_setup s, unsigned* board, unsigned long long* seen) {
  Lane lane{s};
  if (!Lane::lane_form.some_lanes || lane_in_block() % warp_size < s.active) {
    const unsigned long long wrong = count_wrong<Op>(lane, board);
    if (wrong > 0) atomicAdd(seen, wrong);
  }
  static_cast<void>(lane.outcome());  // the blocks of a cluster leave together
}

template <class Op, class Lane> std::uint64_t run_level_litmus(bench& rig) {
  return static_cast<levels_rig&>(rig).run_litmus_here(call_of(&level_litmus<Op, Lane>));
}

/// `SomeLanes`: the lanes of each warp beyond kernel_setup::active stay away from the loop,
/// whatever the row's form.
template <template <class, class> class Lane, bool SomeLanes = false>
struct levels_backend : backend_of<Lane> {
  template <class T, form F>
  using lane =
      Lane<T, form_constant<F.order, F.placement, F.scope, F.flavour, F.space, SomeLanes, F.size>>;

  template <class Op, class L> static consteval litmus_check litmus_of() {
    if constexpr (Op::expects == expected_result::none) return nullptr;
    else return &run_level_litmus<Op, L>;
  }
};

}  // namespace syncmeter::cuda
