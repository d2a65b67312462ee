// The study `atomics`.
#include "driver/plan/study.hpp"

namespace syncmeter {
namespace {

using namespace blocks;

gpu_part gpu_atomics() {
  const std::vector<grid_set> grids{{{one}, {32}}, {{sm}, {1024}}};
  gpu_axes forms{.grids = grids, .forms = form_set::all, .strides = {0, 1}};
  gpu_axes types{.grids = grids, .types = type_set::all};
  return {.rules = {{.ops = {"atomic_*"}, .axes = forms}, {.ops = {"atomic_add"}, .axes = types}},
          .others = forms};
}

}  // namespace

study atomics_study() {
  return {.place = 5,
          .name = "atomics",
          .purpose = "GPU: atomics by API, use of the result, address, scope and order",
          .gpu = gpu_atomics()};
}

}  // namespace syncmeter
