// The points of the study barrier on synthetic machines, and the axis that it needs: lateness.
#include <map>

#include <gmock/gmock.h>

#include "driver/plan/point_groups.hpp"
#include "tests/unit/plan_fixtures.hpp"

namespace syncmeter::barrier_plan_test {
namespace {

using fixtures::plan_on;
using fixtures::points_of;
using fixtures::values;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

worker_info worker_of(const std::string& backend) {
  worker_info worker = fixtures::omp_worker();
  for (capability& row : fixtures::rows_of(
           {.op = "barrier_late", .family = "barrier", .pairing = "insert", .min_lanes = 2})) {
    row.arrives_late = true;
    row.in_quick = false;
    worker.capabilities.push_back(std::move(row));
  }
  worker.name = backend;
  worker.backends = {backend};
  for (capability& row : worker.capabilities) row.backend = backend;
  return worker;
}

const std::vector<worker_info> three{worker_of("omp"), worker_of("omp-llvm"), worker_of("std")};

run_options barrier_options() {
  run_options options;
  options.study = "barrier";
  options.interleave_backends = true;
  return options;
}

campaign_plan study_on(const std::string& machine) {
  return plan_on(machine, barrier_options(), three);
}

TEST(barrier_plan, every_number_of_lanes_runtime_and_way_of_waiting) {
  const campaign_plan plan = study_on("core:4 pu:1");
  const auto points = points_of(plan, "barrier");
  EXPECT_THAT(points, SizeIs(4 * 3 * 2)) << "threads, runtimes, waits: close = spread = smt";
  EXPECT_THAT(values(points, &point::lanes), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(values(points, &point::backend), ElementsAre("omp", "omp-llvm", "std"));
  EXPECT_THAT(values(points, &point::wait), ElementsAre(wait_policy::active, wait_policy::passive));
  EXPECT_THAT(values(points, &point::late_us), ElementsAre(0));
  EXPECT_THAT(points_of(plan, "atomic_add"), IsEmpty());
  fixtures::expect_no_point_twice(plan);
}

TEST(barrier_plan, policies_that_place_differently_are_measured_each) {
  const campaign_plan plan = study_on("package:2 core:2 pu:1");
  std::map<unsigned, std::size_t> placements;
  for (const planned_point* p : points_of(plan, "barrier")) {
    if (p->what.backend == "omp" && p->what.wait == wait_policy::active)
      ++placements[p->what.lanes];
  }
  EXPECT_EQ(placements[1], 1U);
  EXPECT_EQ(placements[2], 2U) << "one package against two";
}

TEST(barrier_plan, visits_are_predicted_to_wait_for_a_late_lane_at_each_step) {
  run_options options = barrier_options();
  options.ops = {"barrier_late"};
  const auto planned = [&](unsigned late_us) {
    options.lates_us = {late_us};
    return plan_on("core:4 pu:1", options, three);
  };
  const campaign_plan less = planned(100), more = planned(10'100);
  const auto visits = static_cast<double>(more.points.size() * 5);
  EXPECT_GT(visits, 0);
  EXPECT_NEAR(more.predicted_s - less.predicted_s, visits * 30 * 0.01, 1e-9);
}

TEST(barrier_plan, a_late_lane_needs_others) {
  const campaign_plan plan = study_on("core:4 pu:1");
  const auto late = points_of(plan, "barrier_late");
  EXPECT_THAT(values(late, &point::lanes), ElementsAre(2, 4));
  EXPECT_THAT(values(late, &point::late_us), ElementsAre(0, 1, 10, 100));
  const campaign_plan alone = study_on("core:1 pu:1");
  EXPECT_THAT(points_of(alone, "barrier_late"), IsEmpty());
  ASSERT_THAT(alone.refused, testing::Not(IsEmpty()));
  EXPECT_EQ(alone.refused[0].reason, "needs at least 2 threads");
}

TEST(barrier_plan, lateness_is_an_axis_of_its_own_op_alone) {
  run_options options = barrier_options();
  options.lates_us = {5, 7};
  const campaign_plan plan = plan_on("core:2 pu:1", options, three);
  EXPECT_THAT(values(points_of(plan, "barrier_late"), &point::late_us), ElementsAre(5, 7));
  EXPECT_THAT(values(points_of(plan, "barrier"), &point::late_us), ElementsAre(0));
}

TEST(barrier_plan, more_lanes_than_units_only_by_request) {
  run_options options = barrier_options();
  options.oversubscribe = true;
  const campaign_plan plan = plan_on("core:2 pu:1", options, three);
  const auto lanes = &point::lanes;
  EXPECT_THAT(values(points_of(plan, "barrier"), lanes), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(values(points_of(plan, "barrier_late"), lanes), ElementsAre(2));
}

TEST(barrier_plan, who_is_compared_is_visited_in_turn) {
  const campaign_plan plan = study_on("core:2 pu:1");
  std::size_t points = 0;
  for (const auto& group : groups_of(plan, true)) {
    const point& first = plan.points[group[0]].what;
    EXPECT_THAT(group, SizeIs(first.op == "barrier" ? 3 * 2 : 3 * 2 * 4));
    for (const std::size_t i : group) {
      EXPECT_EQ(plan.points[i].what.op, first.op);
      EXPECT_EQ(plan.points[i].what.lanes, first.lanes);
    }
    points += group.size();
  }
  EXPECT_EQ(points, plan.points.size());
}

TEST(barrier_plan, backends_of_no_other_study) {
  EXPECT_THAT(values(points_of(plan_on("core:2 pu:1", {}, three), "barrier"), &point::backend),
              ElementsAre("omp"));
  EXPECT_THAT(points_of(plan_on("core:2 pu:1", {}, three), "barrier_late"), IsEmpty());
  run_options one = barrier_options();
  one.backends = {"omp-llvm"};
  EXPECT_THAT(values(points_of(plan_on("core:2 pu:1", one, three), "barrier"), &point::backend),
              ElementsAre("omp-llvm"));
}

// Sleeping barriers of many lanes take the whole of their time.
TEST(barrier_plan, ends_in_time) {
  const campaign_plan large = study_on("package:2 core:4 pu:2");
  EXPECT_LT(large.predicted_s, 35);
  EXPECT_EQ(large.points.size(), 420U) << "as the README says";
  EXPECT_EQ(study_on("core:16 pu:1").points.size(), 144U) << "as the README says";
  EXPECT_LE(0.15 * static_cast<double>(large.points.size()), 63);
}

}  // namespace
}  // namespace syncmeter::barrier_plan_test
