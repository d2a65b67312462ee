// What a fence adds while loads are outstanding, the latency of each level of memory, and a
// control: the yardsticks of every cost of synchronization.
#pragma once

#include "backends/cuda/ops/block.cuh"
#include "backends/cuda/ops/walk.hpp"
#include "core/ops/fence.hpp"

namespace syncmeter::cuda::ops {

consteval op_info fence_between_loads_info(std::string_view name, std::string_view note) {
  op_info info = syncmeter::ops::fence_between(name, oracle::none, note);
  info.litmus = litmus::none;  // `fence` has it
  return info;
}

struct fence_between_loads {  // fence only: the loads skip L1, which a fence invalidates
  static constexpr op_info info = fence_between_loads_info(
      "fence_between_loads", "marginal cost between two loads from L2 (.cg)");
  SM_FN static void before(has_cached_loads auto& lane) { lane.load_cg(lane.cell()); }
  SM_FN static void measured(has_fence auto& lane) { lane.fence(); }
  SM_FN static void after(has_cached_loads auto& lane) { lane.load_cg(lane.second_cell()); }
};

struct fence_between_cached_loads {  // fence and refill: L1 holds the cells until a fence drops
                                     // them
  static constexpr op_info info = fence_between_loads_info(
      "fence_between_cached_loads", "marginal cost between two loads that can hit L1 (.ca)");
  SM_FN static void before(has_cached_loads auto& lane) { lane.load_ca(lane.cell()); }
  SM_FN static void measured(has_fence auto& lane) { lane.fence(); }
  SM_FN static void after(has_cached_loads auto& lane) { lane.load_ca(lane.second_cell()); }
};

consteval op_info walk_info(std::string_view name, walk ring, std::string_view note) {
  const unsigned block_bytes =
      ring == walk::shared_memory ? shared_walk_length * shared_walk_pitch : 0;
  return {.name = name, .family = family::memory, .note = note, .block_bytes = block_bytes};
}

#define SM_CUDA_WALK(NAME, RING, CALL, NOTE)                                                       \
  struct NAME {                                                                                    \
    static constexpr op_info info = walk_info(#NAME, walk::RING, NOTE);                            \
    static constexpr walk ring = walk::RING;                                                       \
    SM_FN static void common(has_walks auto& lane) { lane.CALL(); }                                \
    SM_FN static void measured(has_walks auto& lane) { lane.CALL(); }                              \
  };
SM_CUDA_WALK(memory_latency_shared, shared_memory, walk_shared,
             "a dependent load from shared memory")
SM_CUDA_WALK(memory_latency_l1, l1, walk_l1, "a dependent load that hits L1")
SM_CUDA_WALK(memory_latency_l2, l2, walk_l2, "a dependent load that hits L2 (.cg)")
SM_CUDA_WALK(memory_latency_device, device, walk_l2,
             "a dependent load from device memory: a ring larger than L2")

SM_CUDA_OP(control_fadd,
           (op_info{.name = "control_fadd",
                    .family = family::control,
                    .note = "a dependent single-precision add: 4 cycles since Volta"}),
           has_add_float, add_float)

}  // namespace syncmeter::cuda::ops
