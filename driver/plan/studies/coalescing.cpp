// The study `coalescing`: the cost of a warp's loads by its access pattern in memory.

#include "driver/plan/study.hpp"

namespace syncmeter {

// Throughput uses the full device, latency a single warp. Atomics have their usual layout: one cell
// per lane, with a stride in elements.
study coalescing_study() {
  const gpu_axes full{.grids = {{{{.named = count_range::symbol::two_sm}}, {1024}}}};
  const gpu_axes one_warp{.grids = {{{{.first = 1, .last = 1}}, {32}}}};
  const gpu_axes one_block{.grids = {{{{.first = 1, .last = 1}}, {1024}}}};
  const auto of_sizes = [](gpu_axes axes, std::vector<unsigned> sizes) {
    axes.sizes = std::move(sizes);
    return axes;
  };
  const std::vector<unsigned> strides{1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 17, 24, 31, 32};
  const std::vector<unsigned> offsets{4, 8, 16, 28, 32, 36, 48, 64, 96, 124};
  const std::vector<unsigned> ways{1, 2, 3, 4, 8, 16, 31, 32};
  gpu_axes cells = full;
  cells.placements = {placement::strided};
  cells.strides = {0, 1, 2, 3, 4, 8, 16, 31, 32};
  return {
      .place = 17,
      .name = "coalescing",
      .purpose = "GPU: loads of a warp by access pattern; bank conflicts",
      .gpu = {.rules = {{.ops = {"load_latency_misaligned*"}, .axes = of_sizes(one_warp, {4, 64})},
                        {.ops = {"load_latency_*"},
                         .except = {"load_latency_misaligned*"},
                         .axes = of_sizes(one_warp, {1, 2, 4, 8, 16, 32})},
                        {.ops = {"load_misaligned*"}, .axes = of_sizes(full, offsets)},
                        {.ops = {"load_strided*"}, .axes = of_sizes(full, strides)},
                        {.ops = {"load_*"},
                         .except = {"load_latency_*", "load_misaligned*", "load_strided*"},
                         .axes = full},
                        {.ops = {"bank_conflict"}, .axes = of_sizes(one_block, ways)},
                        {.ops = {"bank_conflict_latency"}, .axes = of_sizes(one_warp, ways)},
                        {.ops = {"atomic_add"}, .axes = cells}},
              .others = of_sizes(full, {1}),
              .max_time_s = 0.1}};
}

}  // namespace syncmeter
