// Two plans become one; which points of two builds are compared.
#include "driver/ab/arm_plan.hpp"

#include <gmock/gmock.h>

#include "driver/ab/ab_options.hpp"
#include "driver/ab/ab_text.hpp"
#include "driver/plan/point_groups.hpp"
#include "driver/workers/arms.hpp"
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

std::vector<std::string> ops_by_backend(const campaign_plan& plan) {
  std::vector<std::string> all;
  for (const planned_point& p : plan.points) all.push_back(p.what.backend + " " + p.what.op);
  return all;
}

TEST(JoinPlans, EveryPointIsThereForBothArmsAndVisitedInTurn) {
  const campaign_plan plan = joined({planned("atomic_add"), planned("atomic_read")},
                                    {planned("atomic_read"), planned("atomic_add")});
  EXPECT_THAT(ops_by_backend(plan), ElementsAre("omp@old atomic_add", "omp@new atomic_add",
                                                "omp@old atomic_read", "omp@new atomic_read"));
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
  EXPECT_THAT(ops_by_backend(plan), ElementsAre("omp@old atomic_add", "omp@new atomic_add",
                                                "omp@old atomic_read", "omp@new atomic_read"));
  for (const planned_point& p : plan.points) EXPECT_THAT(p.same_as, IsEmpty());
}

TEST(JoinPlans, WhatBothArmsMergedStaysMerged) {
  const campaign_plan plan =
      joined({planned("atomic_add", {"atomic_read"})}, {planned("atomic_add", {"atomic_read"})});
  ASSERT_THAT(plan.points, SizeIs(2));
  ASSERT_THAT(plan.points[1].same_as, SizeIs(1));
  EXPECT_EQ(plan.points[1].same_as[0].backend, "omp@new");
}

TEST(JoinPlans, PointsOfEqualCodeAreCountedAndNotMeasured) {
  const std::vector<planned_point> points{planned("atomic_add", {"plain_add"}),
                                          planned("atomic_read")};
  const campaign_plan plan = joined(points, points, old_and_new(), &adds_are);
  EXPECT_THAT(ops_by_backend(plan), ElementsAre("omp@old atomic_read", "omp@new atomic_read"));
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

TEST(Arms, NameEverythingOfAWorkerAfterThem) {
  worker_info worker = fixtures::omp_worker();
  worker.native_of["omp"] = "std";
  put_in_arm(worker, "new", {"A=1"});
  EXPECT_EQ(worker.name, "omp@new");
  EXPECT_THAT(worker.backends, ElementsAre("omp@new"));
  EXPECT_EQ(worker.native_of.at("omp@new"), "std@new");
  EXPECT_EQ(worker.capabilities.front().backend, "omp@new");
  EXPECT_EQ(without_arm("omp@new"), "omp");
  EXPECT_EQ(arm_of("omp@new"), "new");
  EXPECT_EQ(without_arm("omp"), "omp");
  EXPECT_EQ(arm_of("omp"), "");
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

TEST(AbText, SaysWhatChangedWhatDidNotAndWhatCannotBeTold) {
  arm_comparison c{.arms = old_and_new(), .points = {}};
  c.arms.equal = 1;
  const auto add = [&c](change_verdict verdict, double ratio, double detectable) {
    arm_change each{.what = fixtures::atomic_add(), .key = {}, .change = {}, .why = {}};
    each.change = {.verdict = verdict,
                   .ratio = {ratio, ratio - 0.01, ratio + 0.01},
                   .p = 0.01,
                   .detectable = detectable};
    each.cost_ns = {10, 10 * ratio};
    each.pairs = 10;
    c.points.push_back(each);
  };
  add(change_verdict::slower, 1.05, 1.02);
  add(change_verdict::faster, 0.5, 1.02);
  add(change_verdict::same, 1, 1.02);
  add(change_verdict::cannot_tell, 1.01, 1.2);
  const std::string text = ab_text(c, {.width = 200});
  EXPECT_THAT(text, HasSubstr("Slower in new: 1 point\n"));
  EXPECT_THAT(text, HasSubstr("+5.0 %"));
  EXPECT_THAT(text, HasSubstr("Faster in new: 1 point\n"));
  EXPECT_THAT(text, HasSubstr("-50 %"));
  EXPECT_THAT(text, HasSubstr("The same within 1.0 %: 1 point."));
  EXPECT_THAT(text, HasSubstr("Equal machine code in both, not measured: 1 point"));
  EXPECT_THAT(text, HasSubstr("2.0 % for half of the points, 20 % for all"));
  EXPECT_THAT(text, Not(HasSubstr("Nothing changed")));
  EXPECT_THAT(ab_markdown(c),
              HasSubstr("### Slower in new: 1 point\n\n| point | old ns | new ns |"));
  EXPECT_EQ(ab_json(c).at("points").size(), 4U);
  EXPECT_EQ(ab_json(c).at("exit_status"), 1);
  c.points.clear();
  EXPECT_THAT(ab_text(c), HasSubstr("Nothing changed by more than 1.0 %."));
  c.arms.equal = 0;
  EXPECT_THAT(ab_text(c), HasSubstr("Nothing could be compared."));
}

}  // namespace
}  // namespace syncmeter::arm_plan_test
