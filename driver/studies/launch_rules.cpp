#include "driver/studies/launch_rules.hpp"

namespace syncmeter {

std::vector<gpu_rule> launch_rules() {
  constexpr block_range one{.first = 1, .last = 1};
  constexpr block_range sm{.named = block_range::symbol::sm};
  const gpu_axes kernels{.grids = {{{one}, {32}}, {{sm}, {1024}}}};
  gpu_axes graphs = kernels;
  graphs.sizes = {1, 2, 4, 8, 16, 32, 64};
  gpu_axes near_and_far{.grids = {{{one}, {32}}}};
  near_and_far.homes = {home::first, home::other};
  return {{.ops = {"launch", "launch_call", "additional_launch", "cooperative_launch",
                   "additional_cooperative_launch", "programmatic_launch", "kernel_split",
                   "programmatic_split", "blocking_copy", "stream_order", "stream_event_order",
                   "event_record_wait"},
           .except = {},
           .axes = kernels},
          {.ops = {"graph_launch", "additional_graph_launch"}, .except = {}, .axes = graphs},
          {.ops = {"launch", "launch_call", "additional_launch", "blocking_copy"},
           .except = {},
           .axes = near_and_far}};
}

}  // namespace syncmeter
