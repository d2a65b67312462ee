// The maximum of an array, and the reads and copies that bound it: Listing 1 of "Characterizing
// CUDA and OpenMP Synchronization Primitives" (IISWC 2024). test - baseline == one more of them,
// queued in the same stream straight behind the last one, on the same array. Each writes a cell of
// its own, which the one before it has set to the least value: the reset is part of the op.
#pragma once

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
                                 family kind = family::reduction) {
  return {.name = name,
          .family = kind,
          .typed = true,
          .unroll = 1,
          .host_lane = true,
          .note = note,
          .size_of = "elements"};
}

struct reduce_max_global_atomic {
  static constexpr op_info info =
      reduction_info("reduce_max_global_atomic",
                     "each thread one atomicMax in global memory; of 32-bit types the compiler "
                     "makes one for each warp");
  SM_FN static void common(has_reductions auto& lane) { lane.max_by_global_atomic(); }
  SM_FN static void measured(has_reductions auto& lane) { lane.max_by_global_atomic(); }
};

struct reduce_max_warp_atomic {
  static constexpr op_info info =
      reduction_info("reduce_max_warp_atomic",
                     "each warp a maximum by shuffles, its first lane one atomicMax in global "
                     "memory");
  SM_FN static void common(has_reductions auto& lane) { lane.max_by_warp_atomic(); }
  SM_FN static void measured(has_reductions auto& lane) { lane.max_by_warp_atomic(); }
};

struct reduce_max_block_atomic {
  static constexpr op_info info =
      reduction_info("reduce_max_block_atomic",
                     "each thread one atomicMax in its block's memory, each block one in global "
                     "memory; of 64-bit types the first is a loop round a compare-and-swap");
  SM_FN static void common(has_reductions auto& lane) { lane.max_by_block_atomic(); }
  SM_FN static void measured(has_reductions auto& lane) { lane.max_by_block_atomic(); }
};

struct reduce_max_warp_reduce {
  static constexpr op_info info =
      reduction_info("reduce_max_warp_reduce",
                     "each warp __reduce_max_sync, then one atomicMax in its block's memory, each "
                     "block one in global memory");
  SM_FN static void common(has_warp_reduce auto& lane) { lane.max_by_warp_reduce(); }
  SM_FN static void measured(has_warp_reduce auto& lane) { lane.max_by_warp_reduce(); }
};

struct reduce_max_persistent {
  static constexpr op_info info =
      reduction_info("reduce_max_persistent",
                     "as many threads as run at once, each the maximum of its share in a register, "
                     "then as the warp reduce (by shuffles where the type has none)");
  SM_FN static void common(has_reductions auto& lane) { lane.max_by_persistent(); }
  SM_FN static void measured(has_reductions auto& lane) { lane.max_by_persistent(); }
};

struct reduce_max_cub {
  static constexpr op_info info = reduction_info(
      "reduce_max_cub", "cub::DeviceReduce::Max, whose threads and blocks are its own choice");
  SM_FN static void common(has_reductions auto& lane) { lane.max_by_library(); }
  SM_FN static void measured(has_reductions auto& lane) { lane.max_by_library(); }
};

// Not a maximum, but what no form can be faster than where the array comes from memory.
struct read_bandwidth {
  static constexpr op_info info =
      reduction_info("read_bandwidth", "every byte of the array read once, 16 at a time: the limit",
                     family::memory);
  SM_FN static void common(has_reductions auto& lane) { lane.read(); }
  SM_FN static void measured(has_reductions auto& lane) { lane.read(); }
};

struct copy_bandwidth {
  static constexpr op_info info = reduction_info(
      "copy_bandwidth", "every byte of the array read, and written to another one", family::memory);
  SM_FN static void common(has_reductions auto& lane) { lane.copy(); }
  SM_FN static void measured(has_reductions auto& lane) { lane.copy(); }
};

}  // namespace ops

using reduction_ops =
    op_list<ops::reduce_max_global_atomic, ops::reduce_max_warp_atomic,
            ops::reduce_max_block_atomic, ops::reduce_max_warp_reduce, ops::reduce_max_persistent,
            ops::reduce_max_cub, ops::read_bandwidth, ops::copy_bandwidth>;

}  // namespace syncmeter::cuda
