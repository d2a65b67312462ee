// Two plans become one; which points of two builds are compared.
#include "driver/ab/arm_plan.hpp"

#include <cmath>

#include <gmock/gmock.h>

#include "driver/campaign/revisits.hpp"
#include "driver/plan/point_groups.hpp"
#include "driver/workers/start_program.hpp"
#include "tests/unit/plan_fixtures.hpp"

namespace syncmeter::arm_plan_test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

using planned_pairs = std::vector<std::pair<const planned_point*, const planned_point*>>;

std::vector<bool> never(const planned_pairs& pairs, const std::vector<worker_info>&,
                        const std::vector<worker_info>&) {
  return std::vector<bool>(pairs.size(), false);
}
std::vector<bool> adds_are(const planned_pairs& pairs, const std::vector<worker_info>&,
                           const std::vector<worker_info>&) {
  std::vector<bool> equal;
  for (const auto& [a, b] : pairs) equal.push_back(a->what.op == "atomic_add");
  return equal;
}

compared_arms old_and_new() {
  compared_arms arms;
  arms.arms[0].name = "old";
  arms.arms[1].name = "new";
  return arms;
}

planned_point planned(const std::string& op, std::vector<std::string> same_as = {}) {
  planned_point p{.what = fixtures::atomic_add(), .pus = {0}, .same_as = {}, .why = {}};
  p.what.op = op;
  for (const std::string& other : same_as) {
    p.same_as.push_back(p.what);
    p.same_as.back().op = other;
  }
  return p;
}

campaign_plan joined(std::vector<planned_point> a, std::vector<planned_point> b,
                     const compared_arms& arms = old_and_new(), code_comparison equal = &never) {
  campaign_plan of_a, of_b;
  of_a.points = std::move(a);
  of_b.points = std::move(b);
  return join_plans({std::move(of_a), std::move(of_b)}, arms, {}, equal);
}

std::vector<std::string> ops_by_arm(const campaign_plan& plan) {
  std::vector<std::string> all;
  for (const planned_point& p : plan.points) {
    EXPECT_EQ(p.what.backend, "omp");
    all.push_back(p.what.arm + " " + p.what.op);
  }
  return all;
}

TEST(JoinPlans, EveryPointIsThereForBothArmsAndVisitedInTurn) {
  const campaign_plan plan = joined({planned("atomic_add"), planned("atomic_read")},
                                    {planned("atomic_read"), planned("atomic_add")});
  EXPECT_THAT(ops_by_arm(plan), ElementsAre("old atomic_add", "new atomic_add", "old atomic_read",
                                            "new atomic_read"));
  EXPECT_THAT(groups_of(plan, false), ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3)));
}

TEST(JoinPlans, NamesWhatOneArmAloneHas) {
  const campaign_plan plan =
      joined({planned("atomic_add"), planned("gone")}, {planned("atomic_add"), planned("fresh")});
  EXPECT_THAT(plan.points, SizeIs(2));
  EXPECT_THAT(plan.arms->only[0], ElementsAre(HasSubstr("op=gone")));
  EXPECT_THAT(plan.arms->only[1], ElementsAre(HasSubstr("op=fresh")));
}

// The loops of one build may be equal to each other where those of the other one are not.
TEST(JoinPlans, WhatOnlyOneArmMergedIsMeasuredInBoth) {
  const campaign_plan plan = joined({planned("atomic_add", {"atomic_read"})},
                                    {planned("atomic_add"), planned("atomic_read")});
  EXPECT_THAT(ops_by_arm(plan), ElementsAre("old atomic_add", "new atomic_add", "old atomic_read",
                                            "new atomic_read"));
  for (const planned_point& p : plan.points) EXPECT_THAT(p.same_as, IsEmpty());
}

TEST(JoinPlans, WhatBothArmsMergedStaysMerged) {
  const campaign_plan plan =
      joined({planned("atomic_add", {"atomic_read"})}, {planned("atomic_add", {"atomic_read"})});
  ASSERT_THAT(plan.points, SizeIs(2));
  ASSERT_THAT(plan.points[1].same_as, SizeIs(1));
  EXPECT_EQ(plan.points[1].same_as[0].arm, "new");
}

TEST(JoinPlans, PointsOfEqualCodeAreCountedAndNotMeasured) {
  const std::vector<planned_point> points{planned("atomic_add", {"plain_add"}),
                                          planned("atomic_read")};
  const campaign_plan plan = joined(points, points, old_and_new(), &adds_are);
  EXPECT_THAT(ops_by_arm(plan), ElementsAre("old atomic_read", "new atomic_read"));
  EXPECT_EQ(plan.arms->equal, 2U);

  compared_arms all = old_and_new();
  all.all = true;
  EXPECT_THAT(joined(points, points, all, &adds_are).points, SizeIs(4));
  // Another environment may change what equal code costs.
  compared_arms environments = old_and_new();
  environments.arms[1].environment = {"GOMP_SPINCOUNT=0"};
  EXPECT_THAT(joined(points, points, environments, &adds_are).points, SizeIs(4));
}

TEST(PlanArms, AnOpOfOneBuildAloneIsNoMistake) {
  const topology machine = topology::synthetic("core:2 pu:1");
  worker_info without = fixtures::omp_worker();
  std::erase_if(without.capabilities, [](const capability& c) { return c.op == "atomic_read"; });
  const auto plan_of = [&](std::vector<std::string> ops) {
    return plan_arms(fixtures::with_ops(std::move(ops)), old_and_new(),
                     {std::vector{without}, std::vector{fixtures::omp_worker()}}, machine,
                     fixtures::all_of(machine));
  };
  const campaign_plan plan = plan_of({"atomic_add", "atomic_read"});
  EXPECT_THAT(plan.points, Not(IsEmpty()));
  EXPECT_THAT(plan.arms->only[1], Contains(HasSubstr("op=atomic_read")));
  EXPECT_THAT(plan_of({"atomic_read"}).points, IsEmpty());
  EXPECT_THROW((void)plan_of({"no_such_op"}), usage_error);
}

TEST(Arms, AreOfEachWorkerAndNotOfItsBackends) {
  compared_arms arms = old_and_new();
  arms.arms[1].environment = {"A=1"};
  const auto all =
      in_arms({std::vector{fixtures::omp_worker()}, std::vector{fixtures::omp_worker()}}, arms);
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_THAT(all[1].backends, ElementsAre("omp"));
  EXPECT_EQ(all[0].label(), "omp of old");
  EXPECT_EQ(all[1].arm, "new");
  EXPECT_THAT(all[1].environment, ElementsAre("A=1"));
}

TEST(Arms, SettingsReplaceWhatEveryWorkerHas) {
  const auto environment =
      worker_environment(wait_policy::active, 0, {"OMP_WAIT_POLICY=passive", "NEW_ONE=a=b"});
  EXPECT_THAT(environment, Contains("OMP_WAIT_POLICY=passive"));
  EXPECT_THAT(environment, Not(Contains("OMP_WAIT_POLICY=active")));
  EXPECT_THAT(environment, Contains("NEW_ONE=a=b"));
}

std::string refusal(std::vector<std::string> words) {
  try {
    (void)parse_ab(words);
  } catch (const usage_error& error) {
    return error.what();
  }
  return "";
}

TEST(AbOptions, NameTheBuilds) {
  const ab_request request =
      parse_ab({"old=/", "/tmp", "--env-b", "X=1,2", "--env-b", "Y=", "--threshold", "2.5%"});
  EXPECT_EQ(request.arms.arms[0].name, "old");
  EXPECT_EQ(request.arms.arms[0].path, "/");
  EXPECT_EQ(request.arms.arms[1].name, "b");
  EXPECT_THAT(request.arms.arms[1].environment, ElementsAre("X=1,2", "Y="));
  EXPECT_DOUBLE_EQ(request.arms.threshold, 0.025);
  EXPECT_EQ(request.run.options.visits, usual_ab_visits);
  EXPECT_FALSE(request.arms.looks_again);
  EXPECT_TRUE(parse_ab({"/", "/tmp", "--budget", "1s"}).arms.looks_again);
}

TEST(AbOptions, RefuseWhatCannotBeCompared) {
  EXPECT_THAT(refusal({}), HasSubstr("two builds must be named"));
  EXPECT_THAT(refusal({"/"}), HasSubstr("--env-a or --env-b"));
  EXPECT_THAT(refusal({"x=/", "x=/tmp"}), HasSubstr("both builds are named 'x'"));
  EXPECT_THAT(refusal({"a@b=/", "/tmp"}), HasSubstr("'a@b'"));
  EXPECT_THAT(refusal({"/", "/no/such/place"}), HasSubstr("there is no '/no/such/place'"));
  EXPECT_THAT(refusal({"/", "/tmp", "--threshold", "100%"}), HasSubstr("--threshold"));
  EXPECT_THAT(refusal({"/", "--env-a", "OMP_PLACES=cores"}), HasSubstr("OMP_PLACES"));
}

// The interval of these is around 1, 0.5 % to either side at 95 %.
const std::vector<double> around_1{-0.005, -0.0025, 0, 0, 0.0025, 0.005};

std::vector<double> around(double ratio) {
  std::vector<double> logs = around_1;
  for (double& log : logs) log += std::log(ratio);
  return logs;
}

TEST(IsUndecided, WhereTheIntervalStraddlesTheThreshold) {
  EXPECT_FALSE(is_undecided(around(1), 0.01, 0.05, 1));
  EXPECT_FALSE(is_undecided(around(1.03), 0.01, 0.05, 1));
  EXPECT_FALSE(is_undecided(around(1 / 1.03), 0.01, 0.05, 1));
  EXPECT_TRUE(is_undecided(around(1.01), 0.01, 0.05, 1));
  EXPECT_TRUE(is_undecided(around(1 / 1.01), 0.01, 0.05, 1));
  EXPECT_TRUE(is_undecided(around(1), 0.001, 0.05, 1));
  EXPECT_TRUE(is_undecided(std::vector{0.5, 0.5}, 0.01, 0.05, 1)) << "two say nothing of scatter";
}

TEST(IsUndecided, AChangeIsOneOfSoManyAndOfSoManyLooks) {
  EXPECT_FALSE(is_undecided(around(1.018), 0.01, 0.05, 1));
  EXPECT_TRUE(is_undecided(around(1.018), 0.01, 0.05, 100));
  EXPECT_TRUE(is_undecided(around(1.018), 0.01, 0.05 / 64, 1));
  EXPECT_FALSE(is_undecided(around(1), 0.01, 0.05, 100)) << "the same needs no correction";
}

TEST(ShareOfLook, IsATenthAfterTheFirst) {
  EXPECT_EQ(share_of_look(9, 10), 0.5);
  EXPECT_EQ(share_of_look(10, 10), 0.5);
  EXPECT_EQ(share_of_look(11, 10), 0.1);
  EXPECT_EQ(share_of_look(16, 10), 0.1);
  EXPECT_EQ(share_of_look(1, 0), 0.5);
  EXPECT_EQ(next_look_at(10), 15U);
  EXPECT_EQ(next_look_at(1), 2U);
}

}  // namespace
}  // namespace syncmeter::arm_plan_test
