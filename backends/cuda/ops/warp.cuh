// Words of a warp. Each result is the next word's operand, so that the cost is a latency and
// nothing can be hoisted or merged: loop-invariant votes were, in published tables.
#pragma once

#include "backends/cuda/ops/block.cuh"

namespace syncmeter::cuda::ops {

consteval op_info warp_info(std::string_view name, std::string_view note = {}) {
  return {.name = name, .family = family::warp, .note = note};
}

SM_CUDA_OP(warp_sync, warp_info("warp_sync", "__syncwarp() of a warp that is converged"),
           has_warp_words, warp_sync)

struct warp_sync_divergent {  // the halves of a pair part, and meet again: branch and __syncwarp()
  static constexpr op_info info =
      warp_info("warp_sync_divergent", "a divergent branch, then __syncwarp()");
  SM_FN static void common(has_warp_words auto& lane) {
    lane.diverge();
    lane.warp_sync();
  }
  SM_FN static void measured(has_warp_words auto& lane) { common(lane); }
};

struct warp_sync_partial {  // the lower half warp alone
  static constexpr op_info info =
      warp_info("warp_sync_partial", "__syncwarp(0xffff) by the lower half of the warp");
  SM_FN static void common(has_warp_words auto& lane) {
    if (lane.in_lower_half()) lane.warp_sync_part();
  }
  SM_FN static void measured(has_warp_words auto& lane) { common(lane); }
};

SM_CUDA_OP(shuffle_idx, warp_info("shuffle_idx", "__shfl_sync from lane + 1"), has_warp_words,
           shuffle_idx)
SM_CUDA_OP(shuffle_up, warp_info("shuffle_up", "__shfl_up_sync by 1"), has_warp_words, shuffle_up)
SM_CUDA_OP(shuffle_down, warp_info("shuffle_down", "__shfl_down_sync by 1"), has_warp_words,
           shuffle_down)
SM_CUDA_OP(shuffle_xor, warp_info("shuffle_xor", "__shfl_xor_sync with 1"), has_warp_words,
           shuffle_xor)
SM_CUDA_OP(vote_all, warp_info("vote_all", "__all_sync"), has_warp_words, vote_all)
SM_CUDA_OP(vote_any, warp_info("vote_any", "__any_sync"), has_warp_words, vote_any)
SM_CUDA_OP(vote_ballot, warp_info("vote_ballot", "__ballot_sync"), has_warp_words, vote_ballot)
SM_CUDA_OP(match_any, warp_info("match_any", "__match_any_sync, all lanes equal after the first"),
           has_warp_words, match_any)
SM_CUDA_OP(match_all, warp_info("match_all", "__match_all_sync, all lanes equal after the first"),
           has_warp_words, match_all)
SM_CUDA_OP(reduce_add_sync, warp_info("reduce_add_sync"), has_warp_words, reduce_add)
SM_CUDA_OP(reduce_min_sync, warp_info("reduce_min_sync"), has_warp_words, reduce_min)
SM_CUDA_OP(reduce_max_sync, warp_info("reduce_max_sync"), has_warp_words, reduce_max)
SM_CUDA_OP(reduce_and_sync, warp_info("reduce_and_sync"), has_warp_words, reduce_and)
SM_CUDA_OP(reduce_or_sync, warp_info("reduce_or_sync"), has_warp_words, reduce_or)
SM_CUDA_OP(reduce_xor_sync, warp_info("reduce_xor_sync"), has_warp_words, reduce_xor)
SM_CUDA_OP(active_mask, warp_info("active_mask", "__activemask"), has_warp_words, active_mask)

}  // namespace syncmeter::cuda::ops
