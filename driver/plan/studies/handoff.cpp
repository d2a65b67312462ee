// The study `handoff`: a flag from warp to warp on a GPU, for every way to write it and every
// distance. Includes the chain of warps in an article.

#include "driver/plan/study.hpp"

namespace syncmeter {
namespace {

using namespace blocks;
// A block's place decides its handoff time, so a trip visits all multiprocessors.
constexpr count_range trip_of_chain = sm;

gpu_axes every_form(count_range blocks, unsigned threads) {
  return {.grids = {{{blocks}, {threads}}}, .forms = form_set::all};
}

}  // namespace

// Partners are near first, and then spread over the whole device. A smaller device lacks the last
// pairs.
study handoff_study() {
  const gpu_axes in_block = every_form(one, 64);
  gpu_axes across = every_form(sm, 32);
  across.scopes = {scope::device, scope::system};
  gpu_axes in_cluster = every_form(two, 32);
  in_cluster.sizes = {2};
  gpu_axes pairs = every_form(two, 32);
  pairs.forms = form_set::standard;
  pairs.sizes = {1,  2,  3,  4,  5,  9,  10, 17, 18,  25,  33,  41,
                 49, 57, 65, 66, 73, 81, 89, 97, 105, 113, 121, 132};
  return {.place = 15,
          .name = "handoff",
          .purpose = "GPU: passing a flag between warps, by API, scope and distance",
          .gpu = {.rules = {{.ops = {"warp_handoff", "semaphore_handoff", "atomic_wait_handoff",
                                     "mbarrier_handoff"},
                             .axes = in_block},
                            {.ops = {"warp_handoff"}, .axes = across},
                            {.ops = {"cluster_handoff", "bulk_handoff", "red_async_handoff"},
                             .axes = in_cluster},
                            {.ops = {"sm_handoff"}, .axes = pairs},
                            {.ops = {"handoff_chain"}, .axes = every_form(trip_of_chain, 1024)}},
                  .others = in_block,
                  .max_time_s = 0.3,
                  .visit_s = 0.1}};
}

}  // namespace syncmeter
