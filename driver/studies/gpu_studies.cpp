// The rules of each study on GPUs. Names are those of the CUDA backend's ops; a backend that lacks
// one has no points for it.
#include "driver/studies/gpu_studies.hpp"

namespace syncmeter {
namespace {

using namespace blocks;

const std::vector<unsigned> powers{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024};
const std::vector<std::string_view> locks{"critical_*", "lock_*", "@critical"};
// Pointer chases and planted costs: one thread, one warp, and more would measure the same.
const std::vector<std::string_view> chases{"memory_*"};
const std::vector<std::string_view> graphs{"graph_launch", "additional_graph_launch"};

gpu_axes at(std::vector<grid_set> grids) { return gpu_axes{.grids = std::move(grids)}; }

// They have studies of their own, which know the grids and sizes that they need.
const std::vector<std::string_view> studied_apart{"tile_*",
                                                  "coalesced_*",
                                                  "cluster_*",
                                                  "grid_sync",
                                                  "software_barrier_*",
                                                  "fadd_chain",
                                                  "*_handoff",
                                                  "handoff_chain",
                                                  "branch_*",
                                                  "load_*",
                                                  "bank_*",
                                                  "reduce_max_*_atomic",
                                                  "reduce_max_warp_reduce",
                                                  "reduce_max_persistent",
                                                  "reduce_max_cub",
                                                  "*_bandwidth",
                                                  "multi_gpu_*",
                                                  "remote_*"};

// A naive lock among the lanes of many blocks is too slow to end: many lanes of one block, then one
// of each.
std::vector<gpu_rule> every_op(const std::vector<grid_set>& grids,
                               const std::vector<grid_set>& of_locks) {
  std::vector<std::string_view> elsewhere{"control_*", "memory_*"};
  elsewhere.insert(elsewhere.end(), locks.begin(), locks.end());
  elsewhere.insert(elsewhere.end(), studied_apart.begin(), studied_apart.end());
  elsewhere.insert(elsewhere.end(), graphs.begin(), graphs.end());
  gpu_axes of_graphs = at(grids);
  of_graphs.sizes = {1, 16};
  return {{.ops = {"*"}, .except = std::move(elsewhere), .axes = at(grids)},
          {.ops = graphs, .except = {}, .axes = of_graphs},
          {.ops = locks, .except = {}, .axes = at(of_locks)},
          {.ops = chases, .except = {}, .axes = at({{{one}, {1}}})},
          {.ops = {"control_aa", "control_multiply_1", "control_fadd"},
           .except = {},
           .axes = at({{{one}, {32}}})}};
}

gpu_axes with(gpu_axes axes, type_set types, std::vector<placement> placements) {
  axes.types = types;
  axes.placements = std::move(placements);
  return axes;
}

}  // namespace

gpu_part gpu_quick() {
  const std::vector<grid_set> grids{{{one}, {32, 1024}}, {{sm}, {1024}}};
  return {.rules = every_op(grids, {{{one}, {32, 1024}}, {{sm}, {1}}}),
          .others = at(grids),
          // The launches of kernels are known to 4 % after three visits of 18 ms.
          .max_time_s = 0.055};
}

gpu_part gpu_scaling() {
  const std::vector<grid_set> grids{{{one}, powers}, {{one, two, half_sm, sm, two_sm}, {1024}}};
  return {.rules = every_op(grids, {{{one}, powers}, {{two, half_sm, sm, two_sm}, {1}}}),
          .others = at(grids)};
}

// Costs known beforehand: a warp alone for what has a latency, and grids that fill the device
// for what has a throughput. Stride 0 is one address that the compiler cannot see to be one.
gpu_part gpu_control() {
  gpu_axes alone = at({{{one}, {32}}});
  alone.additivity = true;
  gpu_axes nothing = at({{{one}, {32}}});
  nothing.repeats = 100;
  gpu_axes by_warps = at({{{one}, {32, 64, 128, 256, 512, 1024}}});
  by_warps.additivity = true;
  gpu_axes one_address =
      with(at({{{one, two_sm}, {32, 1024}}}), type_set::all, {placement::strided});
  one_address.only = {value_type::int32, value_type::float32, value_type::float64};
  one_address.strides = {0};
  const gpu_axes own_cells = with(at({{{two_sm}, {1024}}}), type_set::one, {placement::strided});
  return {.rules = {{.ops = {"control_aa"}, .except = {}, .axes = nothing},
                    {.ops = {"control_*"},
                     .except = {"control_aa"},
                     .axes = with(at({{{one}, {32}}}), type_set::all, {placement::shared})},
                    {.ops = {"barrier"}, .except = {}, .axes = by_warps},
                    {.ops = {"shuffle_*"}, .except = {}, .axes = alone},
                    {.ops = {"atomic_add"}, .except = {}, .axes = one_address},
                    {.ops = {"atomic_add", "atomic_fetch_add"}, .except = {}, .axes = own_cells},
                    {.ops = chases, .except = {}, .axes = at({{{one}, {1}}})}},
          .others = alone};
}

// Its tests on this tool's ops: __syncthreads is barrier, atomicX on a scalar is `shared` and on an
// array `strided`, a fence stands between adds to two arrays; int, unsigned long long, float and
// double. Its thread counts hold 786 in the tests of barriers and of warps (meant was 768).
gpu_part gpu_paper() {
  std::vector<unsigned> with_786 = powers;
  with_786.insert(with_786.end() - 1, 786);
  const std::vector<block_range> blocks{one, two, half_sm, sm, two_sm};
  const auto published = type_set::published;
  const gpu_axes threads = with(at({{blocks, with_786}}), published, {placement::shared});
  const gpu_axes scalar = with(at({{blocks, powers}}), published, {placement::shared});
  gpu_axes array = with(scalar, published, {placement::strided});
  array.strides = {1, 2, 4, 16, 32, 128};
  gpu_axes fenced = array;
  fenced.forms = form_set::each_scope;
  gpu_axes fenced_stores = fenced;
  fenced_stores.types = type_set::one;
  gpu_axes one_type = scalar;
  one_type.types = type_set::one;
  // Its eighth recommendation: what it saves to switch lanes of each warp off.
  gpu_axes fewer =
      with(at({{{one, sm}, {32, 1024}}}), type_set::one, {placement::shared, placement::strided});
  fewer.actives = {1, 2, 4, 8, 16};
  return {.rules = {{.ops = {"barrier", "warp_sync", "shuffle_*", "match_*"},
                     .except = {},
                     .axes = threads},
                    {.ops = {"vote_*"}, .except = {}, .axes = scalar},
                    {.ops = {"atomic_add", "atomic_cas_pass", "atomic_cas_fail", "atomic_exchange"},
                     .except = {},
                     .axes = scalar},
                    {.ops = {"atomic_add", "atomic_cas_pass", "atomic_cas_fail"},
                     .except = {},
                     .axes = array},
                    {.ops = {"atomic_sub", "atomic_max_*", "atomic_min_*", "atomic_and",
                             "atomic_or", "atomic_xor", "atomic_inc"},
                     .except = {},
                     .axes = one_type},
                    {.ops = {"fence_between_adds", "fence"}, .except = {}, .axes = fenced},
                    {.ops = {"fence_between_stores"}, .except = {}, .axes = fenced_stores},
                    {.ops = {"atomic_add"}, .except = {}, .axes = fewer}},
          .others = with(scalar, published, {placement::shared, placement::strided}),
          // Half of these thousands of points are fences between two adds, whose marginal cost no
          // visit of 50 ms knows to 1 %: three of 10 ms keep the study below five minutes.
          .max_time_s = 0.03};
}

gpu_part gpu_portability() {
  std::vector<gpu_rule> rules =
      every_op({{{one}, {32, 1024}}, {{sm}, {1024}}}, {{{one}, {32, 1024}}, {{sm}, {1}}});
  for (gpu_rule& rule : rules) rule.axes.types = type_set::published;
  gpu_axes others = rules.front().axes;
  return {.rules = std::move(rules), .others = std::move(others)};
}

gpu_part gpu_atomics() {
  const std::vector<grid_set> grids{{{one}, {32}}, {{sm}, {1024}}};
  gpu_axes forms = at(grids);
  forms.forms = form_set::all;
  forms.strides = {0, 1};
  gpu_axes types = at(grids);
  types.types = type_set::all;
  return {.rules = {{.ops = {"atomic_*"}, .except = {}, .axes = forms},
                    {.ops = {"atomic_add"}, .except = {}, .axes = types}},
          .others = forms};
}

}  // namespace syncmeter
