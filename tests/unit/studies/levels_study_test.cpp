// The points of the study levels on a made-up GPU, and the deviation that a visit of it keeps.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "core/worker/protocol.hpp"
#include "driver/plan/gpu_plan.hpp"
#include "tests/unit/driver_fixtures.hpp"
#include "tests/unit/gpu_fixtures.hpp"

namespace syncmeter::levels_study_test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;

worker_info worker() {
  worker_info made = fixtures::cuda_worker();
  const auto add = [&made](const std::string& op, const std::string& family,
                           const std::string& size_of = {}, unsigned size = 0) {
    made.capabilities.push_back(fixtures::gpu_row(op, family));
    made.capabilities.back().size_of = size_of;
    made.capabilities.back().size = size;
  };
  for (const unsigned size : {32U, 8U, 1U}) add("tile_sync", "group", "lanes of a tile", size);
  add("coalesced_sync", "group", "lanes of a coalesced group");
  add("cluster_sync", "barrier", "blocks of a cluster");
  add("grid_sync", "barrier");
  add("software_barrier_tree", "barrier");
  add("additional_launch", "launch");
  for (const std::string op : {"named_barrier", "block_latch", "mbarrier_sync"}) add(op, "barrier");
  return made;
}

campaign_plan plan_of_levels(std::vector<std::string> ops = {}) {
  const topology machine = topology::synthetic("core:2 pu:1");
  cpu_grant grant;
  for (const processing_unit& unit : machine.units()) grant.allowed.push_back(unit.os);
  run_options options;
  options.study = "levels";
  options.backends = {"cuda"};
  options.ops = std::move(ops);
  return make_plan(options, {worker()}, machine, grant);
}

// "blocks x threads" or "blocks x threads of size".
std::vector<std::string> launches(const campaign_plan& plan, const std::string& op) {
  std::vector<std::string> all;
  for (const planned_point& p : plan.points) {
    if (p.what.op != op) continue;
    all.push_back(fmt::format("{} x {}", p.what.blocks, p.what.lanes));
    if (p.what.size != 0) all.back() += fmt::format(" of {}", p.what.size);
  }
  return all;
}

TEST(levels_plan, tiles_have_the_sizes_that_are_built_and_coalesced_groups_all) {
  const campaign_plan plan = plan_of_levels();
  EXPECT_THAT(launches(plan, "tile_sync"),
              testing::UnorderedElementsAre("1 x 32 of 32", "1 x 32 of 8", "1 x 32 of 1",
                                            "1 x 1024 of 32", "1 x 1024 of 8", "1 x 1024 of 1"));
  const auto coalesced = launches(plan, "coalesced_sync");
  EXPECT_EQ(coalesced.size(), 64U);
  EXPECT_THAT(coalesced, IsSupersetOf({"1 x 32 of 1", "1 x 32 of 17", "1 x 1024 of 32"}));
}

TEST(levels_plan, clusters_come_alone_and_as_many_as_have_whole_multiprocessors) {
  const auto clusters = launches(plan_of_levels(), "cluster_sync");
  EXPECT_THAT(clusters, IsSupersetOf({"4 x 32 of 4", "8 x 128 of 4", "8 x 128 of 8"}))
      << "10 multiprocessors hold 2 clusters of 4";
  EXPECT_THAT(clusters, Not(Contains("10 x 32 of 4")));
}

TEST(levels_plan, a_grid_fills_the_device_and_one_block_more_is_refused_with_the_number) {
  const campaign_plan plan = plan_of_levels();
  EXPECT_THAT(launches(plan, "grid_sync"),
              IsSupersetOf({"10 x 32", "20 x 32", "320 x 32", "10 x 1024", "20 x 1024"}));
  std::vector<std::string> refused;
  for (const refused_point& r : plan.refused) {
    if (r.what.op == "grid_sync")
      refused.push_back(fmt::format("{} x {}: {}", r.what.blocks, r.what.lanes, r.reason));
  }
  EXPECT_EQ(refused.size(), 6U);
  EXPECT_THAT(refused, Contains(AllOf(HasSubstr("21 x 1024"), HasSubstr("at most 20 blocks"))));
}

TEST(levels_plan, a_block_is_swept_over_its_warps_and_over_blocks_per_multiprocessor) {
  const auto blocks = launches(plan_of_levels(), "barrier");
  EXPECT_THAT(blocks,
              IsSupersetOf({"1 x 32", "1 x 96", "1 x 1024", "10 x 32", "70 x 32", "20 x 1024"}));
  EXPECT_EQ(blocks.size(), 32U + 32 + 32 + 16 + 8 + 4 + 2);
}

TEST(levels_plan, what_a_block_may_meet_at_stands_beside_its_barrier_at_the_same_launches) {
  const campaign_plan plan = plan_of_levels();
  for (const std::string op : {"named_barrier", "block_latch", "mbarrier_sync"}) {
    EXPECT_THAT(launches(plan, op), testing::UnorderedElementsAre("1 x 32", "1 x 256", "1 x 1024"));
    EXPECT_THAT(launches(plan, "barrier"), IsSupersetOf(launches(plan, op)));
  }
}

TEST(levels_plan, launches_join_in_where_a_worker_has_them) {
  EXPECT_THAT(launches(plan_of_levels(), "additional_launch"),
              IsSupersetOf({"1 x 32", "10 x 1024"}));
}

TEST(block_ranges, are_multiples_rounded_down_and_beyond_what_fits) {
  using block_symbol = count_range::symbol;
  const gpu_device gpu = fixtures::small_gpu();
  EXPECT_EQ(resolve({.named = block_symbol::sm, .times = 3}, gpu, 32), std::pair(30U, 30U));
  EXPECT_EQ(resolve({.named = block_symbol::sm, .whole = 8}, gpu, 32), std::pair(8U, 8U));
  EXPECT_EQ(resolve({.named = block_symbol::sm, .whole = 16}, gpu, 32), std::pair(16U, 16U));
  EXPECT_EQ(resolve({.named = block_symbol::beyond}, gpu, 1024), std::pair(21U, 21U));
}

// Rounds of 100 trips of 32 steps: the test side has 3200 ops more.
TEST(host_deviation, is_that_of_both_sides_over_the_difference_of_their_repeats) {
  visit_result result;
  result.trips = 100;
  for (const double off : {-1.0, 0.0, 1.0}) {
    round r;
    r.host_ns = {1e6 + 300 * off, 2e6 + 400 * off};
    result.rounds.push_back(r);
  }
  op_info info{.name = "barrier"};
  EXPECT_NEAR(to_visit_json(result, info).at("host_deviation_ns").get<double>(), 500.0 / 3200,
              1e-9);
  result.rounds.back().host_ns = {0, 0};
  EXPECT_FALSE(to_visit_json(result, info).contains("host_deviation_ns"))
      << "several launches have no host's time";
}

}  // namespace
}  // namespace syncmeter::levels_study_test
