// Barriers of a block, beyond the shared `barrier` (`__syncthreads`). test - baseline == one more.
#pragma once

#include "backends/cuda/ops/words.hpp"
#include "core/op.hpp"

namespace syncmeter::cuda::ops {

consteval op_info block_info(std::string_view name, std::string_view note) {
  return {.name = name,
          .family = family::barrier,
          .litmus = litmus::barrier,
          .communicates = true,
          .note = note};
}

// An op that is one word, self-paired.
#define SM_CUDA_OP(NAME, INFO, WORDS, CALL)                                                        \
  struct NAME {                                                                                    \
    static constexpr op_info info = INFO;                                                          \
    SM_FN static void common(WORDS auto& lane) { lane.CALL(); }                                    \
    SM_FN static void measured(WORDS auto& lane) { lane.CALL(); }                                  \
  };

SM_CUDA_OP(syncthreads_count, block_info("syncthreads_count", "__syncthreads_count"),
           has_block_words, syncthreads_count)
SM_CUDA_OP(syncthreads_and, block_info("syncthreads_and", "__syncthreads_and"), has_block_words,
           syncthreads_and)
SM_CUDA_OP(syncthreads_or, block_info("syncthreads_or", "__syncthreads_or"), has_block_words,
           syncthreads_or)
SM_CUDA_OP(named_barrier, block_info("named_barrier", "bar.sync id, n"), has_block_words,
           named_barrier)

struct block_barrier {  // cuda::barrier: arrive and wait on an mbarrier in shared memory
  static constexpr op_info info =
      block_info("block_barrier", "cuda::barrier of the block, arrive_and_wait");
  static constexpr bool uses_block_barrier = true;
  SM_FN static void common(has_block_words auto& lane) { lane.block_barrier(); }
  SM_FN static void measured(has_block_words auto& lane) { lane.block_barrier(); }
};

}  // namespace syncmeter::cuda::ops
