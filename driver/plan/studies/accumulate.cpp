// The study `accumulate`: ways to add floats and doubles to few or many cells from many GPU
// threads.
#include "driver/plan/study.hpp"

namespace syncmeter {
namespace {

using namespace blocks;

// Measures one block, and the full device. With at least as many addresses as threads, each thread
// has its own. In compare-and-swap loops on one cell, only one thread progresses at a time.
gpu_part gpu_accumulate() {
  const auto on = [](count_range grid, std::vector<unsigned> addresses) {
    return gpu_axes{.grids = {{{grid}, {1024}}}, .sizes = std::move(addresses)};
  };
  const std::vector<std::string_view> all{"accumulate_*"}, copies{"accumulate_block*"},
      by_cas{"accumulate_cas*"};
  const gpu_axes every_size = on(sm, {1, 32, 1024, 32768, 1U << 20U});
  return {.rules = {{.ops = all, .axes = on(one, {1, 32, 1024})},
                    {.ops = copies, .axes = on(sm, {1, 32, 1024})},
                    {.ops = by_cas, .axes = on(sm, {1024, 32768, 1U << 20U})},
                    {.ops = all,
                     .except = {"accumulate_block*", "accumulate_cas*"},
                     .axes = every_size}},
          .others = every_size,
          .visit_s = 0.054};
}

}  // namespace

study accumulate_study() {
  return {.place = 23,
          .name = "accumulate",
          .purpose = "GPU: ways to add to shared variables, by the number of variables",
          .gpu = gpu_accumulate(),
          // Equals the pace of `defaults`, because loops around an exchange scatter most.
          .pace = study_pace{.precision = 0.008, .max_time_s = 0.4},
          .left_out = "loops around a compare-and-swap on 1 and on 32 addresses with the device "
                      "full, which take too long; copies of a block of more than 4096 addresses"};
}

}  // namespace syncmeter
