// The study `scaling`.
#include "driver/plan/study.hpp"

namespace syncmeter {
namespace {

using namespace blocks;

const std::vector<unsigned> powers{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024};

gpu_part gpu_scaling() {
  const std::vector<grid_set> grids{{{one}, powers}, {{one, two, half_sm, sm, two_sm}, {1024}}};
  return {.rules = every_op(grids, {{{one}, powers}, {{two, half_sm, sm, two_sm}, {1}}}),
          .others = gpu_axes{.grids = grids}};
}

}  // namespace

study scaling_study() {
  const study_axes axes{.lanes = lane_set::powers,
                        .affinities = {affinity::close, affinity::spread},
                        .strided_beyond_one_lane = true};
  return {.place = 2,
          .name = "scaling",
          .purpose = "every operation with 1, 2, 4, ... threads, with affinity close and "
                     "spread",
          .rules = every_op(axes),
          .others = axes,
          .gpu = gpu_scaling()};
}

}  // namespace syncmeter
