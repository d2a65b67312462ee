// The study `control`. Every cost here is known beforehand or must add up. Lanes run alone, so only
// the op can be the cause. A barrier needs a partner.
#include "driver/plan/study.hpp"

namespace syncmeter {
namespace {

using namespace blocks;

// Known costs: a single warp for latencies, and full devices for throughputs. Stride 0 is one
// address, but the compiler cannot see that.
gpu_part gpu_control() {
  gpu_axes alone{.grids = {{{one}, {32}}}, .additivity = true};
  gpu_axes nothing{.grids = {{{one}, {32}}}, .repeats = 100};
  gpu_axes by_warps{.grids = {{{one}, {32, 64, 128, 256, 512, 1024}}}, .additivity = true};
  gpu_axes one_address{.grids = {{{one, two_sm}, {32, 1024}}},
                       .types = type_set::all,
                       .placements = {placement::strided}};
  one_address.only = {value_type::int32, value_type::float32, value_type::float64};
  one_address.strides = {0};
  const gpu_axes own_cells{
      .grids = {{{two_sm}, {1024}}}, .types = type_set::one, .placements = {placement::strided}};
  return {.rules = {{.ops = {"control_aa"}, .axes = nothing},
                    {.ops = {"control_*"},
                     .except = {"control_aa"},
                     .axes = gpu_axes{.grids = {{{one}, {32}}},
                                      .types = type_set::all,
                                      .placements = {placement::shared}}},
                    {.ops = {"barrier"}, .axes = by_warps},
                    {.ops = {"shuffle_*"}, .axes = alone},
                    {.ops = {"atomic_add"}, .axes = one_address},
                    {.ops = {"atomic_add", "atomic_fetch_add"}, .axes = own_cells},
                    {.ops = {"memory_*"}, .axes = gpu_axes{.grids = {{{one}, {1}}}}}},
          .others = alone};
}

}  // namespace

study control_study() {
  const study_axes alone{.placements = {placement::shared}, .additivity = true};
  study_axes together = alone;
  together.lanes = lane_set::max;
  return {.place = 3,
          .name = "control",
          .purpose =
              "known costs: 100 A/A tests, multiplies, and operations whose costs must add up",
          .rules = {{.ops = {"control_aa"}, .axes = {.repeats = 100}},
                    {.ops = {"control_multiply_*"}, .axes = {.types = type_set::all}},
                    {.ops = {"atomic_add", "atomic_fetch_add", "atomic_cas_pass", "fence"},
                     .axes = alone},
                    {.ops = {"barrier"}, .axes = together}},
          .others = alone,
          .gpu = gpu_control()};
}

}  // namespace syncmeter
