// The study of regions, loops and tasks: which points it is made of.
#include <gmock/gmock.h>

#include <vector>

#include "tests/unit/plan_fixtures.hpp"

namespace syncmeter::regions_plan_test {
namespace {

using fixtures::plan_on;
using fixtures::points_of;
using fixtures::values;
using fixtures::with_ops;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<worker_info> worker_with_regions() {
  const auto change = [](capability& row) {
    row.in_quick = row.op == "parallel_region";
    row.after_gap = row.op == "region_after_gap";
    row.own_threads = row.op == "nested_region";
    if (row.op == "for_dynamic") row.size_of = "iterations of a chunk";
    if (row.op == "taskwait_by_one") row.size_of = "tasks of each thread";
  };
  return {fixtures::worker_with(
      "omp",
      {"parallel_region", "region_after_gap", "nested_region", "for_dynamic", "taskwait_by_one"},
      "region", change)};
}

TEST(regions_plan, crosses_teams_with_ways_of_waiting_and_gaps_at_the_largest_team) {
  const auto plan = plan_on("core:4 pu:1", with_ops({}, "regions"), worker_with_regions());
  const auto regions = points_of(plan, "parallel_region");
  EXPECT_THAT(values(regions, &point::lanes), ElementsAre(1, 2, 4));
  EXPECT_THAT(values(regions, &point::gap_us), ElementsAre(0));
  EXPECT_EQ(regions.size(), 3U * 2);
  const auto gaps = points_of(plan, "region_after_gap");
  EXPECT_THAT(values(gaps, &point::gap_us), ElementsAre(0, 1, 10, 100, 1000, 10'000));
  EXPECT_THAT(values(gaps, &point::lanes), ElementsAre(4));
  EXPECT_THAT(values(points_of(plan, "for_dynamic"), &point::size), ElementsAre(1, 16, 128));
  EXPECT_THAT(values(points_of(plan, "taskwait_by_one"), &point::size), ElementsAre(1, 64));
  EXPECT_LT(plan.predicted_s, 60);
}

TEST(regions_plan, other_apis_have_one_way_of_waiting) {
  const auto std_worker = fixtures::worker_with("std", {"thread_create_join"}, "region",
                                                [](capability& row) { row.own_threads = true; });
  const auto plan = plan_on("core:4 pu:1", with_ops({}, "regions"), {std_worker});
  const auto forks = points_of(plan, "thread_create_join");
  EXPECT_THAT(values(forks, &point::lanes), ElementsAre(2, 4));
  EXPECT_THAT(values(forks, &point::wait), ElementsAre(wait_policy::active));
}

TEST(regions_plan, the_user_names_gaps) {
  run_options options = with_ops({}, "regions");
  options.gaps_us = {70};
  const auto plan = plan_on("core:4 pu:1", options, worker_with_regions());
  EXPECT_THAT(values(points_of(plan, "region_after_gap"), &point::gap_us), ElementsAre(70));
}

TEST(regions_plan, threads_that_nothing_binds_have_no_affinity) {
  run_options options = with_ops({"nested_region", "parallel_region"}, "regions");
  options.affinities = {affinity::close};
  auto plan = plan_on("core:4 pu:1", options, worker_with_regions());
  EXPECT_THAT(values(points_of(plan, "parallel_region"), &point::affinity),
              ElementsAre(affinity::close));
  EXPECT_THAT(values(points_of(plan, "nested_region"), &point::affinity),
              ElementsAre(affinity::none));
  options.affinities.clear();
  options.pus = {1, 0};
  plan = plan_on("core:4 pu:1", options, worker_with_regions());
  EXPECT_THAT(points_of(plan, "nested_region"), IsEmpty());
}

TEST(regions_plan, quick_has_what_stands_for_the_others) {
  const auto plan = plan_on("core:4 pu:1", with_ops({}, "quick"), worker_with_regions());
  EXPECT_EQ(points_of(plan, "parallel_region").size(), 2U);
  EXPECT_THAT(points_of(plan, "for_dynamic"), IsEmpty());
}

}  // namespace
}  // namespace syncmeter::regions_plan_test
