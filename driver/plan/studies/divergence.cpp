// The study `divergence`: the cost of a branch by the number of paths that a warp's lanes, or a
// block's warps, take. Compares the cost without a branch.

#include "driver/plan/study.hpp"

namespace syncmeter {

// Measures a single warp, a full block, and one full block on every multiprocessor.
study divergence_study() {
  const gpu_axes one_warp{.grids = {{{{.first = 1, .last = 1}}, {32}}},
                          .sizes = {1, 2, 4, 8, 16, 32}};
  gpu_axes blocks = one_warp;
  blocks.grids = {{{{.first = 1, .last = 1}, {.named = count_range::symbol::sm}}, {1024}}};
  gpu_axes some = one_warp;
  some.sizes = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32};
  return {.place = 16,
          .name = "divergence",
          .purpose =
              "GPU: a branch with 1 to 32 paths: within a warp, across warps, and predicated",
          .gpu = {.rules = {{.ops = {"branch_in_warp"}, .axes = some},
                            {.ops = {"branch_uniform", "branch_predicated"}, .axes = one_warp},
                            {.ops = {"branch_*"}, .axes = blocks}},
                  .others = one_warp,
                  .max_time_s = 0.12}};
}

}  // namespace syncmeter
