// The axis `size`: which numbers an op's points have, built in or given at run time, and what an
// op without one does with --size.
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "driver/plan/offered_ops.hpp"
#include "driver/plan/plan.hpp"
#include "tests/unit/driver_fixtures.hpp"
#include "tests/unit/gpu_fixtures.hpp"

namespace syncmeter::sizes_plan_test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// tile_sync is built for three sizes, cluster_sync takes any.
worker_info worker_with_sizes() {
  worker_info worker = fixtures::cuda_worker();
  for (const unsigned size : {1U, 8U, 32U}) {
    capability tile = fixtures::gpu_row("tile_sync", "group");
    tile.size_of = "lanes of a tile";
    tile.size = size;
    worker.capabilities.push_back(tile);
  }
  capability cluster = fixtures::gpu_row("cluster_sync", "group");
  cluster.size_of = "blocks of a cluster";
  worker.capabilities.push_back(cluster);
  return worker;
}

campaign_plan plan_for(std::vector<std::string> ops, std::vector<unsigned> sizes) {
  run_options options;
  options.ops = std::move(ops);
  options.sizes = std::move(sizes);
  options.lanes = {{.first = 32, .last = 32}};
  options.blocks = {{.first = 4, .last = 4}};
  const topology machine = topology::synthetic("core:2 pu:1");
  cpu_grant grant;
  for (const processing_unit& unit : machine.units()) grant.allowed.push_back(unit.os);
  return make_plan(options, {worker_with_sizes()}, machine, grant);
}

std::vector<unsigned> sizes_of(const campaign_plan& plan) {
  std::vector<unsigned> sizes;
  for (const planned_point& p : plan.points) sizes.push_back(p.what.size);
  return sizes;
}

TEST(sizes, those_that_are_built_where_nobody_asks) {
  EXPECT_THAT(sizes_of(plan_for({"tile_sync"}, {})), ElementsAre(1U, 8U, 32U));
}

TEST(sizes, the_user_chooses_among_those_that_are_built) {
  const campaign_plan plan = plan_for({"tile_sync"}, {8, 16});
  EXPECT_THAT(sizes_of(plan), ElementsAre(8U));
  ASSERT_EQ(plan.refused.size(), 1U);
  EXPECT_EQ(plan.refused[0].reason, "has no size 16 (lanes of a tile), only 1, 8, 32");
}

TEST(sizes, any_where_the_compiler_need_not_know) {
  const campaign_plan plan = plan_for({"cluster_sync"}, {2, 4});
  EXPECT_THAT(sizes_of(plan), ElementsAre(2U, 4U));
  EXPECT_THAT(plan.refused, IsEmpty());
}

TEST(sizes, an_op_without_one_has_none) {
  EXPECT_THAT(sizes_of(plan_for({"barrier"}, {8})), ElementsAre(0U));
}

TEST(sizes, a_loop_built_for_one_serves_no_other) {
  const form any{}, eight{.size = 8};
  EXPECT_TRUE(serves(any, form{.size = 4}));
  EXPECT_TRUE(serves(eight, form{.size = 8}));
  EXPECT_FALSE(serves(eight, form{.size = 4}));
  EXPECT_FALSE(serves(eight, form{}));
}

TEST(sizes, points_that_differ_in_it_are_different_points_and_survive_a_file) {
  point p{.backend = "cuda", .op = "tile_sync", .lanes = 32};
  p.size = 8;
  EXPECT_THAT(canonical(p), HasSubstr(" size=8 "));
  EXPECT_EQ(nlohmann::json(p).get<point>(), p);
}

}  // namespace
}  // namespace syncmeter::sizes_plan_test
