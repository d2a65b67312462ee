// The study `reductions`: an array maximum in every form that the backends have, by size.

#include "driver/plan/study.hpp"

namespace syncmeter {
namespace {

constexpr unsigned power(unsigned exponent) { return 1U << exponent; }

// Uses 256 threads per block, and as many blocks as the size needs. Types except int32 have two
// sizes, which fit or exceed the last-level cache. The larger size leaves out forms with an atomic
// in every thread, which take up to a second per sample.
gpu_part gpu_reductions() {
  const std::vector<grid_set> usual{{{count_range{.first = 1, .last = 1}}, {256}}};
  gpu_axes every_size{.grids = usual,
                      .sizes = {power(10), power(14), power(18), power(22), power(26), power(28)}};
  gpu_axes small{.grids = usual, .types = type_set::all, .sizes = {power(22)}};
  gpu_axes large = small;
  large.sizes = {power(26)};
  gpu_axes full_blocks{.grids = {{{count_range{.first = 1, .last = 1}}, {1024}}},
                       .sizes = {power(26)}};
  const std::vector<std::string_view> all{"reduce_max_*", "*_bandwidth"};
  const std::string_view of_a_warp = "reduce_max_sync";  // has no array
  return {.rules = {{.ops = all, .except = {of_a_warp}, .axes = every_size},
                    {.ops = all, .except = {of_a_warp}, .axes = small},
                    {.ops = all,
                     .except = {of_a_warp, "reduce_max_global_atomic", "reduce_max_block_atomic"},
                     .axes = large},
                    {.ops = {"reduce_max_*"},
                     .except = {of_a_warp, "reduce_max_cub"},
                     .axes = full_blocks}},
          .others = every_size,
          .max_time_s = 0.15,
          .visit_s = 0.039};
}

}  // namespace

// Includes a single lane, to find the size at which other lanes pay off.
study reductions_study() {
  study_axes every_size{.lanes = lane_set::one_and_max,
                        .sizes = {power(10), power(14), power(18), power(22), power(26)}};
  study_axes every_type = every_size;
  every_type.types = type_set::published;
  every_type.sizes = {power(22)};
  return {.place = 18,
          .name = "reductions",
          .purpose = "GPU: reductions of an array: time, and share of the memory bandwidth",
          .rules = {{.ops = {"reduce_max"}, .axes = every_size},
                    {.ops = {"reduce_max"}, .axes = every_type}},
          .others = every_size,
          .gpu = gpu_reductions(),
          .left_out = "2^28 elements on CPUs and 2^30 on GPUs unless --size names them; types "
                      "other than int32 at sizes other than 2^22 and 2^26, and there forms with an "
                      "atomic per thread; numbers of threads between 1 and all; blocks of sizes "
                      "other than 256 threads, except 1024 at 2^26 elements"};
}

}  // namespace syncmeter
