// The study `quick`.
#include "driver/plan/study.hpp"

namespace syncmeter {
namespace {

using namespace blocks;

gpu_part gpu_quick() {
  const std::vector<grid_set> grids{{{one}, {32, 1024}}, {{sm}, {1024}}};
  std::vector<gpu_rule> rules = every_op(grids, {{{one}, {32, 1024}}, {{sm}, {1}}});
  // If the compiler knows that all lanes share a cell, a single lane updates the cell for the warp.
  // The second rule lets data choose the cell, as in a histogram.
  rules.push_back(
      {.ops = {"atomic_add", "atomic_cas_pass"},
       .only_in_quick = true,
       .axes = {.grids = {{{sm}, {1024}}}, .placements = {placement::strided}, .strides = {0}}});
  return {.rules = std::move(rules),
          .others = gpu_axes{.grids = grids},
          // Three visits of 15 ms measure kernel launches to 3 %.
          .max_time_s = 0.045};
}

}  // namespace

study quick_study() {
  const study_axes axes{.lanes = lane_set::one_and_max, .strided_beyond_one_lane = true};
  return {.place = 1,
          .name = "quick",
          .purpose = "every operation with one thread and with all threads",
          .rules = every_op(axes),
          .others = axes,
          .gpu = gpu_quick()};
}

}  // namespace syncmeter
