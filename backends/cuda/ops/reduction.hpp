// The maximum of an array, and the reads and copies that bound it: Listing 1 of "Characterizing
// CUDA and OpenMP Synchronization Primitives" (IISWC 2024). test - baseline == one more of them,
// queued in the same stream straight behind the last one, on the same array. Each writes a cell of
// its own, which the one before it has set to the least value: the reset is part of the op.
#pragma once

#include "backends/cuda/ops/array_op.hpp"
#include "core/measurable.hpp"
#include "core/op.hpp"

namespace syncmeter::cuda {

template <class L>
concept has_reductions = requires(L& l) {
  l.max_by_global_atomic();
  l.max_by_warp_atomic();
  l.max_by_block_atomic();
  l.max_by_persistent();
  l.max_by_library();
  l.read();
  l.copy();
};
template <class L> concept has_warp_reduce = requires(L& l) { l.max_by_warp_reduce(); };

namespace ops {

consteval op_info reduction_info(std::string_view name, std::string_view note,
                                 array_op kind = array_op::maximum) {
  const bool reads = kind == array_op::read || kind == array_op::copy;
  return {.name = name,
          .in_quick = false,
          .family = reads ? family::memory : family::reduction,
          .typed = true,
          .unroll = 1,
          .host_lane = true,
          .note = note,
          .size_of = "elements",
          .kind = static_cast<std::uint8_t>(kind)};
}

struct reduce_max_global_atomic {
  static constexpr op_info info = reduction_info(
      "reduce_max_global_atomic", "one atomicMax per thread in global memory; for 32-bit types the "
                                  "compiler combines them to one per warp");
  SM_FN static void common(has_reductions auto& lane) { lane.max_by_global_atomic(); }
  SM_FN static void measured(has_reductions auto& lane) { lane.max_by_global_atomic(); }
};

struct reduce_max_warp_atomic {
  static constexpr op_info info =
      reduction_info("reduce_max_warp_atomic",
                     "a warp's maximum by shuffles, then one atomicMax per warp in global memory");
  SM_FN static void common(has_reductions auto& lane) { lane.max_by_warp_atomic(); }
  SM_FN static void measured(has_reductions auto& lane) { lane.max_by_warp_atomic(); }
};

struct reduce_max_block_atomic {
  static constexpr op_info info =
      reduction_info("reduce_max_block_atomic",
                     "one atomicMax per thread in shared memory, then one per block in global "
                     "memory; for 64-bit types the first is a compare-and-swap loop");
  SM_FN static void common(has_reductions auto& lane) { lane.max_by_block_atomic(); }
  SM_FN static void measured(has_reductions auto& lane) { lane.max_by_block_atomic(); }
};

struct reduce_max_warp_reduce {
  static constexpr op_info info = reduction_info(
      "reduce_max_warp_reduce", "__reduce_max_sync per warp, then one atomicMax per warp in shared "
                                "memory and one per block in global memory");
  SM_FN static void common(has_warp_reduce auto& lane) { lane.max_by_warp_reduce(); }
  SM_FN static void measured(has_warp_reduce auto& lane) { lane.max_by_warp_reduce(); }
};

struct reduce_max_persistent {
  static constexpr op_info info = reduction_info(
      "reduce_max_persistent",
      "persistent threads: as many as are co-resident, each with the maximum of its share in a "
      "register, then as reduce_max_warp_reduce (by shuffles for types without it)");
  SM_FN static void common(has_reductions auto& lane) { lane.max_by_persistent(); }
  SM_FN static void measured(has_reductions auto& lane) { lane.max_by_persistent(); }
};

struct reduce_max_cub {
  static constexpr op_info info =
      reduction_info("reduce_max_cub", "cub::DeviceReduce::Max, which chooses its own grid",
                     array_op::library_maximum);
  SM_FN static void common(has_reductions auto& lane) { lane.max_by_library(); }
  SM_FN static void measured(has_reductions auto& lane) { lane.max_by_library(); }
};

// Not a maximum, but what no form can be faster than where the array comes from memory.
struct read_bandwidth {
  static constexpr op_info info = reduction_info(
      "read_bandwidth",
      "reads every byte of the array once, 16 at a time: the upper bound for a reduction",
      array_op::read);
  SM_FN static void common(has_reductions auto& lane) { lane.read(); }
  SM_FN static void measured(has_reductions auto& lane) { lane.read(); }
};

struct copy_bandwidth {
  static constexpr op_info info =
      reduction_info("copy_bandwidth", "copies the array to another one", array_op::copy);
  SM_FN static void common(has_reductions auto& lane) { lane.copy(); }
  SM_FN static void measured(has_reductions auto& lane) { lane.copy(); }
};

}  // namespace ops

using reduction_ops =
    op_list<ops::reduce_max_global_atomic, ops::reduce_max_warp_atomic,
            ops::reduce_max_block_atomic, ops::reduce_max_warp_reduce, ops::reduce_max_persistent,
            ops::reduce_max_cub, ops::read_bandwidth, ops::copy_bandwidth>;

}  // namespace syncmeter::cuda
