// The study `paper`.
#include "driver/plan/study.hpp"

namespace syncmeter {
namespace {

using namespace blocks;

const std::vector<unsigned> powers_of_two{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024};

// Maps the paper's tests to this tool's ops. __syncthreads is barrier. atomicX on a scalar is
// `shared` and on an array `strided`. A fence is between adds to two arrays. The types are int,
// unsigned long long, float and double. Its thread counts for barriers and warps include 786 (the
// authors meant 768).
gpu_part gpu_paper() {
  std::vector<unsigned> with_786 = powers_of_two;
  with_786.insert(with_786.end() - 1, 786);
  const std::vector<count_range> blocks{one, two, half_sm, sm, two_sm};
  const auto published = type_set::published;
  const gpu_axes threads{
      .grids = {{blocks, with_786}}, .types = published, .placements = {placement::shared}};
  const gpu_axes scalar{
      .grids = {{blocks, powers_of_two}}, .types = published, .placements = {placement::shared}};
  gpu_axes array = scalar;
  array.placements = {placement::strided};
  array.strides = {1, 2, 4, 16, 32, 128};
  gpu_axes both = scalar;
  both.placements = {placement::shared, placement::strided};
  gpu_axes fenced = array;
  fenced.forms = form_set::each_scope;
  gpu_axes fenced_stores = fenced;
  fenced_stores.types = type_set::one;
  gpu_axes one_type = scalar;
  one_type.types = type_set::one;
  // The paper's eighth recommendation: savings from lanes switched off in each warp.
  gpu_axes fewer{.grids = {{{one, sm}, {32, 1024}}},
                 .types = type_set::one,
                 .placements = {placement::shared, placement::strided},
                 .actives = {1, 2, 4, 8, 16}};
  return {.rules = {{.ops = {"barrier", "warp_sync", "shuffle_*", "match_*"}, .axes = threads},
                    {.ops = {"vote_*"}, .axes = scalar},
                    {.ops = {"atomic_add", "atomic_cas_pass", "atomic_cas_fail", "atomic_exchange"},
                     .axes = scalar},
                    {.ops = {"atomic_add", "atomic_cas_pass", "atomic_cas_fail"}, .axes = array},
                    {.ops = {"atomic_sub", "atomic_max_*", "atomic_min_*", "atomic_and",
                             "atomic_or", "atomic_xor", "atomic_inc"},
                     .axes = one_type},
                    {.ops = {"fence_between_adds", "fence"}, .axes = fenced},
                    {.ops = {"fence_between_stores"}, .axes = fenced_stores},
                    {.ops = {"atomic_add"}, .axes = fewer}},
          .others = both,
          // Half the points are fences between two adds. No visit of 50 ms gets their marginal cost
          // to 1 %. Three visits of 6 ms keep the study near three minutes.
          .max_time_s = 0.018,
          .rounds_at_once = 16};
}

}  // namespace

study paper_study() {
  const study_axes scalar{.types = type_set::published,
                          .placements = {placement::shared},
                          .lanes = lane_set::published,
                          .affinities = {affinity::close, affinity::spread, affinity::none}};
  study_axes array = scalar;
  array.placements = {placement::strided};
  array.strides = {1, 2, 4, 8, 16, 64};
  study_axes both = array;
  both.placements = {placement::shared, placement::strided};
  return {.place = 4,
          .name = "paper",
          .purpose =
              "the configurations of \"Characterizing CUDA and OpenMP Synchronization Primitives\"",
          .rules = {{.ops = {"barrier", "atomic_fetch_add", "atomic_write",
                             "atomic_write_two_lines", "atomic_read", "critical_add", "fence"},
                     .axes = scalar},
                    {.ops = {"atomic_add"}, .axes = both},
                    {.ops = {"fence_between_adds"}, .axes = array}},
          .others = both,
          .gpu = gpu_paper()};
}

}  // namespace syncmeter
