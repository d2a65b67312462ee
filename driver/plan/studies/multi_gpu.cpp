// The study `multi-gpu`: the cost of a step across the GPUs in one host.

#include "driver/plan/study.hpp"

namespace syncmeter {
namespace {

using namespace blocks;
constexpr count_range most{.named = block_symbol::max};

// Numbers of devices, as far as the host has them. One device is the reference for two.
const std::vector<unsigned> devices{1, 2, 3, 4, 8, 16};
const std::vector<unsigned> several{2, 3, 4, 8, 16};
const std::vector<std::string_view> barriers{"multi_gpu_barrier_*"};

gpu_axes over(std::vector<unsigned> sizes, std::vector<grid_set> grids) {
  gpu_axes axes{.grids = std::move(grids), .sizes = std::move(sizes)};
  return axes;
}

}  // namespace

// Blocks and threads count per device: Figures 9 to 11 of Zhang et al., "A Study of Single and
// Multi-device Synchronization Methods in Nvidia GPUs".
study multi_gpu_study() {
  const gpu_axes grids = over(devices, {{{sm, two_sm, most}, {32, 128, 512, 1024}}});
  gpu_axes flag_elsewhere = over(several, {{{sm}, {32, 1024}}});
  flag_elsewhere.homes = {home::second};
  gpu_axes on_one_cell = over(devices, {{{one}, {1, 32}}, {{sm}, {256}}});
  gpu_axes alone = over({}, {{{one}, {1}}});
  alone.forms = form_set::all;
  alone.strides = {0};
  alone.homes = {home::first, home::second, home::other};
  gpu_axes warp = alone;
  warp.grids = {{{one}, {32}}};
  warp.strides = {0, 1, 32};
  gpu_axes wide_type = alone;
  wide_type.types = type_set::all;
  // Leaves out the host: adds from a grid to one cell there take a second per trip.
  gpu_axes full = alone;
  full.grids = {{{sm}, {256}}};
  full.strides = {0, 32};
  full.homes = {home::first, home::second};
  gpu_axes token = over({2}, {{{one}, {1}}});
  token.forms = form_set::all;
  return {
      .place = 19,
      .name = "multi-gpu",
      .purpose = "GPU: barriers, atomics, loads and handoffs between the devices of this host",
      .gpu = {.rules = {{.ops = barriers, .axes = grids},
                        {.ops = {"multi_gpu_barrier_counter"}, .axes = flag_elsewhere},
                        {.ops = {"multi_gpu_host_*", "multi_gpu_graph_*"},
                         .axes = over(devices, {{{one}, {32}}})},
                        {.ops = {"multi_gpu_allreduce_*"}, .axes = over(several, {{{one}, {32}}})},
                        {.ops = {"multi_gpu_fetch_add"}, .axes = on_one_cell},
                        {.ops = {"remote_*"}, .axes = alone},
                        {.ops = {"remote_*"}, .axes = warp},
                        {.ops = {"remote_*"}, .axes = full},
                        {.ops = {"remote_*"}, .axes = wide_type},
                        {.ops = {"gpu_handoff", "cpu_gpu_handoff"}, .axes = token}},
              .others = alone},
      .left_out = "measuring from the second device; full grids on variables in host memory; "
                  "floating-point types"};
}

}  // namespace syncmeter
