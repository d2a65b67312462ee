// Divergence. test - baseline == one more branch: a tree of two-way branches down to one of 32
// paths, and that path's few dependent operations; or the same operations of several paths, of
// whose results one is selected.
#pragma once

#include "backends/cuda/ops/block.cuh"
#include "backends/cuda/ops/divergence_paths.hpp"
#include "core/measurable.hpp"

namespace syncmeter::cuda {

template <class L>
concept has_branches = requires(L& l) {
  l.branch_uniform();
  l.branch_in_warp();
  l.branch_across_warps();
};
template <class L> concept has_selects = requires(L& l) { l.select(); };

namespace ops {

// One step is thousands of bytes of code: more of them would measure the instruction cache.
consteval op_info branch_info(std::string_view name, divergence by, std::string_view size_of,
                              std::string_view note) {
  return {.name = name,
          .in_quick = false,
          .family = family::warp,
          .unroll = 1,
          .note = note,
          .size_of = size_of,
          .kind = static_cast<std::uint8_t>(by)};
}

#define SM_CUDA_BRANCH(NAME, BY, CALL, SIZE_OF, NOTE)                                              \
  struct NAME {                                                                                    \
    static constexpr op_info info = branch_info(#NAME, divergence::BY, SIZE_OF, NOTE);             \
    static constexpr std::array forms{form{}};                                                     \
    SM_FN static void common(has_branches auto& lane) { lane.CALL(); }                             \
    SM_FN static void measured(has_branches auto& lane) { lane.CALL(); }                           \
  };
SM_CUDA_BRANCH(branch_uniform, none, branch_uniform, "",
               "a branch to one of 32 paths, the same one for all lanes")
SM_CUDA_BRANCH(branch_in_warp, in_warp, branch_in_warp, "paths of a warp",
               "the same branch; the lanes of a warp take that many paths")
SM_CUDA_BRANCH(branch_across_warps, across_warps, branch_across_warps, "paths of a block",
               "the same branch; the warps take that many paths, each warp one")

struct branch_predicated {  // no branch: every alternative is worked out, one is selected
  static constexpr op_info info =
      branch_info("branch_predicated", divergence::in_warp, "alternatives",
                  "predicated, without a branch: the operations of that many paths are done, and "
                  "one result is selected");
  static constexpr std::array forms{form{.size = 1}, form{.size = 2},  form{.size = 4},
                                    form{.size = 8}, form{.size = 16}, form{.size = most_paths}};
  SM_FN static void common(has_selects auto& lane) { lane.select(); }
  SM_FN static void measured(has_selects auto& lane) { lane.select(); }
};

}  // namespace ops

using branch_ops = op_list<ops::branch_uniform, ops::branch_in_warp, ops::branch_across_warps,
                           ops::branch_predicated>;

}  // namespace syncmeter::cuda
