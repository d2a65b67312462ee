// The visits of two arms, made by hand.
#include "driver/results/arm_changes.hpp"

#include <cmath>
#include <random>

#include <gmock/gmock.h>

#include "driver/plan/options.hpp"
#include "tests/unit/driver_fixtures.hpp"

namespace syncmeter::arm_changes_test {
namespace {

using fixtures::estimate_values;
using nlohmann::json;
using testing::HasSubstr;

compared_arms arms() {
  compared_arms both;
  both.arms[0].name = "old";
  both.arms[1].name = "new";
  return both;
}

point add_in(const std::string& arm, unsigned lanes = 1) {
  point p = fixtures::atomic_add(lanes);
  p.backend = "omp@" + arm;
  return p;
}

json visit_in(const std::string& arm, unsigned number, std::vector<estimate_values> estimates,
              const std::string& status = "ok") {
  return fixtures::visit(add_in(arm), number, status, estimates);
}

estimate_values at_cost(double cost, bool busy = false, std::size_t rounds = 20) {
  return {.busy = busy, .rounds = rounds, .cost = cost, .low = cost * 0.99, .high = cost * 1.01};
}

std::vector<json> campaign_of(double old_cost, double new_cost, unsigned visits = 5) {
  std::vector<json> lines;
  for (unsigned v = 1; v <= visits; ++v) {
    // Drift that both visits of a pair meet.
    const double drift = 1 + 0.2 * v;
    lines.push_back(visit_in("old", v, {at_cost(old_cost * drift)}));
    lines.push_back(visit_in("new", v, {at_cost(new_cost * drift)}));
  }
  return lines;
}

arm_comparison compared(std::vector<json> lines, const compared_arms& both = arms()) {
  return compare_arms(fixtures::file_of(std::move(lines)), both, 5);
}

arm_change one(const std::vector<json>& lines) {
  const arm_comparison c = compared(lines);
  EXPECT_THAT(c.points, testing::SizeIs(1));
  return c.points.front();
}

TEST(ArmChanges, DriftOfBothArmsCancels) {
  const arm_change slower = one(campaign_of(2, 2.1));
  EXPECT_EQ(slower.change.verdict, change_verdict::slower);
  EXPECT_NEAR(slower.change.ratio.value, 1.05, 1e-9);
  EXPECT_EQ(slower.pairs, 5U);
  EXPECT_EQ(slower.what.backend, "omp");
  EXPECT_EQ(one(campaign_of(2.1, 2)).change.verdict, change_verdict::faster);
  EXPECT_EQ(one(campaign_of(2, 2)).change.verdict, change_verdict::same);
}

TEST(ArmChanges, ExitStatusesAreThoseOfCompare) {
  EXPECT_EQ(compared(campaign_of(2, 2)).exit_status(), 0);
  EXPECT_EQ(compared(campaign_of(2.1, 2)).exit_status(), 0);
  EXPECT_EQ(compared(campaign_of(2, 2.1)).exit_status(), 1);
  EXPECT_EQ(compared({}).exit_status(), 2);
  EXPECT_EQ(compared(campaign_of(2, 2, 1)).exit_status(), 2);
  compared_arms equal = arms();
  equal.equal = 3;
  EXPECT_EQ(compared({}, equal).exit_status(), 0);
}

TEST(ArmChanges, APointThatFailsInTheSecondArmAloneIsARegression) {
  std::vector<json> lines = campaign_of(2, 2);
  lines.push_back(visit_in("new", 6, {}, "failed"));
  const arm_comparison c = compared(lines);
  EXPECT_EQ(c.exit_status(), 1);
  EXPECT_THAT(c.points.front().why, HasSubstr("in new: failed: because of failed"));
  lines.back() = visit_in("old", 6, {}, "failed");
  EXPECT_NE(compared(lines).exit_status(), 1);
}

// A busy machine may cost a visit; a build that hangs costs all of them.
TEST(ArmChanges, OneTimeoutIsNoRegressionAndNothingButTimeoutsIsOne) {
  std::vector<json> lines = campaign_of(2, 2);
  lines.push_back(visit_in("new", 6, {}, "timeout"));
  EXPECT_EQ(compared(lines).exit_status(), 0);
  EXPECT_EQ(one(lines).change.verdict, change_verdict::same);
  for (json& line : lines) {
    if (line.at("point").at("backend") == "omp@new")
      line = visit_in("new", line.at("visit"), {}, "timeout");
  }
  EXPECT_EQ(compared(lines).exit_status(), 1);
}

TEST(ArmChanges, OneVisitSaysSo) {
  const arm_change c = one(campaign_of(2, 3, 1));
  EXPECT_EQ(c.change.verdict, change_verdict::cannot_tell);
  EXPECT_THAT(c.why, HasSubstr("1 pair of visits"));
}

TEST(ArmChanges, ACostThatCannotBeToldFromZeroHasNoRatio) {
  std::vector<json> lines = campaign_of(2, 2);
  for (json& line : lines) {
    if (line.at("point").at("backend") == "omp@old")
      line["estimates"] = json::array(
          {json{{"rounds", 20}, {"cost_ns", {{"value", -0.1}, {"low", -0.2}, {"high", 0.1}}}}});
  }
  EXPECT_THAT(one(lines).why, HasSubstr("in old: its cost cannot be told from 0"));
}

// A visit of one arm that has no partner, as a drop or a kill leaves it.
TEST(ArmChanges, VisitsWithoutPartnerAreLeftOut) {
  std::vector<json> lines = campaign_of(2, 2);
  lines.push_back(visit_in("new", 6, {at_cost(400)}));
  const arm_change c = one(lines);
  EXPECT_EQ(c.pairs, 5U);
  EXPECT_EQ(c.change.verdict, change_verdict::same);
}

TEST(ArmChanges, AreToldInsideOneState) {
  std::vector<json> lines;
  for (unsigned v = 1; v <= 6; ++v) {
    lines.push_back(visit_in("old", v, {at_cost(v % 2 == 0 ? 2.0 : 3.0, v % 2 != 0)}));
    lines.push_back(visit_in("new", v, {at_cost(2.0)}));
  }
  const arm_change c = one(lines);
  EXPECT_EQ(c.pairs, 3U);
  EXPECT_FALSE(c.busy);
  EXPECT_EQ(c.change.verdict, change_verdict::same);
}

TEST(ArmChanges, NoStateInCommonCannotBeTold) {
  std::vector<json> lines;
  for (unsigned v = 1; v <= 6; ++v) {
    lines.push_back(visit_in("old", v, {at_cost(3, true)}));
    lines.push_back(visit_in("new", v, {at_cost(2)}));
  }
  const arm_change c = one(lines);
  EXPECT_EQ(c.change.verdict, change_verdict::cannot_tell);
  EXPECT_THAT(c.why, HasSubstr("0 pairs"));
  EXPECT_FALSE(c.settled) << "more visits may meet in one state";
}

TEST(ArmChanges, BackendsAndWaitsAreMatchedWhereTheArmsSaySo) {
  std::vector<json> lines = campaign_of(2, 2);
  for (json& line : lines) {
    if (line.at("point").at("backend") != "omp@new") continue;
    line["point"]["backend"] = "omp-llvm@new";
    line["point"]["wait"] = "passive";
  }
  EXPECT_EQ(compared(lines).points.size(), 2U);
  compared_arms any = arms();
  any.any_backend = any.any_wait = true;
  EXPECT_EQ(compared(lines, any).points.size(), 1U);
}

// One arm under load half of the time, which the quiet probe sees in most of the rounds.
TEST(ArmChanges, LoadOnOneArmIsNoChange) {
  int reported = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    std::mt19937_64 random(seed);
    std::lognormal_distribution<> noise(0, 0.01);
    std::bernoulli_distribution loaded(0.5);
    std::vector<json> lines;
    for (unsigned v = 1; v <= 10; ++v) {
      const double a = 2 * noise(random), b = 2 * noise(random);
      lines.push_back(
          loaded(random)
              ? visit_in("old", v, {at_cost(1.3 * a, true, 17), at_cost(1.05 * a, false, 3)})
              : visit_in("old", v, {at_cost(a)}));
      lines.push_back(visit_in("new", v, {at_cost(b)}));
    }
    const change_verdict v = one(lines).change.verdict;
    reported += v == change_verdict::slower || v == change_verdict::faster ? 1 : 0;
  }
  EXPECT_LE(reported, 5);
}

TEST(ArmsIn, ReadsWhatTheCampaignLineHas) {
  results_file file = fixtures::file_of({});
  EXPECT_FALSE(arms_in(file));
  compared_arms told = arms();
  told.arms[1].environment = {"A=1"};
  told.threshold = 0.02;
  told.only[1] = {"backend=omp op=new_op"};
  file.campaign["ab"] = told;
  const auto read = arms_in(file);
  ASSERT_TRUE(read);
  EXPECT_EQ(json(*read), json(told));
  file.campaign["ab"] = json::array();
  EXPECT_THROW((void)arms_in(file), usage_error);
}

}  // namespace
}  // namespace syncmeter::arm_changes_test
