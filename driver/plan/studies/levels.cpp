// The study `levels`: the tables and figures of "A Study of Synchronization Methods in Modern GPUs"
// (Zhang et al., IPDPS 2020) on this tool's ops.
#include <algorithm>

#include "driver/plan/study.hpp"

namespace syncmeter {
namespace {

using namespace blocks;

// Threads and blocks on one multiprocessor. A planner refuses grids that a device does not support.
constexpr unsigned usual_threads = 2048;
constexpr unsigned usual_blocks = 32;
const std::vector<unsigned> block_sizes{32, 64, 128, 256, 512, 1024};

gpu_axes launched(std::vector<grid_set> grids, std::vector<unsigned> sizes = {}) {
  return {.grids = std::move(grids), .sizes = std::move(sizes)};
}

// A single warp measures latency, a full block measures throughput.
const std::vector<grid_set> warps{{{one}, {32, 1024}}};

std::vector<unsigned> up_to(unsigned most) {
  std::vector<unsigned> all(most);
  for (unsigned i = 0; i < most; ++i) all[i] = i + 1;
  return all;
}

// Returns all blocks per multiprocessor that run at once, or 1, 2, 4, ... blocks.
std::vector<grid_set> filled(const std::vector<unsigned>& threads, bool every) {
  std::vector<grid_set> grids;
  for (const unsigned t : threads) {
    std::vector<count_range> blocks;
    const unsigned most = std::min(usual_threads / t, usual_blocks);
    for (unsigned n = 1; n <= most; n = every ? n + 1 : 2 * n)
      blocks.push_back({.named = block_symbol::sm, .times = n});
    grids.push_back({std::move(blocks), {t}});
  }
  return grids;
}

gpu_axes barriers_of_a_block() {
  std::vector<unsigned> whole_warps;
  for (unsigned threads = 32; threads <= 1024; threads += 32) whole_warps.push_back(threads);
  std::vector<grid_set> grids = filled(block_sizes, true);
  grids.insert(grids.begin(), {{one}, std::move(whole_warps)});
  return launched(std::move(grids));
}

// Returns launches that the barrier of a block has, too, because both are compared.
gpu_axes objects_of_a_block() { return launched({{{one}, {32, 256, 1024}}}); }

gpu_axes barriers_of_the_grid() {
  std::vector<grid_set> grids = filled(block_sizes, false);
  grids.push_back({{{.named = block_symbol::beyond}}, block_sizes});
  return launched(std::move(grids));
}

// Adds single clusters, and as many clusters as the multiprocessors allow.
void add_clusters(std::vector<gpu_rule>& rules) {
  for (const unsigned size : {2U, 4U, 8U, 16U}) {
    const count_range alone{.first = size, .last = size};
    const count_range all{.named = block_symbol::sm, .whole = size};
    rules.push_back({.ops = {"cluster_sync", "cluster_arrive_wait"},
                     .axes = launched({{{alone, all}, {32, 128, 256, 512, 1024}}}, {size})});
    rules.push_back(
        {.ops = {"cluster_atomic_add"}, .axes = launched({{{alone, all}, {1, 32, 1024}}}, {size})});
  }
}

// Returns rules for every op that a host thread launches, with a one-warp kernel and a kernel that
// fills the GPU. Graphs have 1 to 64 kernels. The thread is near the GPU and far from it.
std::vector<gpu_rule> launch_rules() {
  const gpu_axes kernels{.grids = {{{one}, {32}}, {{sm}, {1024}}}};
  gpu_axes graphs = kernels;
  graphs.sizes = {1, 2, 4, 8, 16, 32, 64};
  gpu_axes near_and_far{.grids = {{{one}, {32}}}, .homes = {home::first, home::other}};
  return {{.ops = {"launch", "launch_call", "additional_launch", "cooperative_launch",
                   "additional_cooperative_launch", "programmatic_launch", "kernel_split",
                   "programmatic_split", "blocking_copy", "stream_order", "stream_event_order",
                   "event_record_wait"},
           .axes = kernels},
          {.ops = {"graph_launch", "additional_graph_launch"}, .axes = graphs},
          {.ops = {"launch", "launch_call", "additional_launch", "blocking_copy"},
           .axes = near_and_far}};
}

gpu_part on_gpus() {
  std::vector<gpu_rule> rules{
      {.ops = {"control_fadd"}, .axes = launched({{{one}, {32}}})},
      {.ops = {"fadd_chain"}, .axes = launched({{{one}, {32}}})},
      {.ops = {"tile_*"}, .axes = launched(warps)},
      {.ops = {"coalesced_*"}, .axes = launched(warps, up_to(32))},
      {.ops = {"warp_sync*", "shuffle_*", "reduce_add_sync"}, .axes = launched(warps)},
      {.ops = {"barrier"}, .axes = barriers_of_a_block()},
      {.ops = {"named_barrier", "block_*", "mbarrier_*"}, .axes = objects_of_a_block()}};
  add_clusters(rules);
  rules.push_back({.ops = {"grid_sync"}, .axes = barriers_of_the_grid()});
  rules.push_back(
      {.ops = {"software_barrier_*"}, .axes = launched(filled({32, 256, 1024}, false))});
  for (gpu_rule& rule : launch_rules()) rules.push_back(std::move(rule));
  return {
      .rules = std::move(rules), .others = launched(warps), .max_time_s = 0.12, .visit_s = 0.009};
}

}  // namespace

study levels_study() {
  return {.place = 14,
          .name = "levels",
          .purpose = "GPU: synchronization of a warp, a block, a cluster, a grid, and "
                     "kernel launches",
          .gpu = on_gpus(),
          // Times from events around a launch vary by the events' resolution, 1 us.
          .pace = study_pace{.precision = 0.01, .max_time_s = 0.12, .min_sample_us = 200},
          .native_only = true,
          .left_out = "barriers across GPUs, which are in the study multi-gpu"};
}

}  // namespace syncmeter
