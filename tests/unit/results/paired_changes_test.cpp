// What campaigns of known truth report: simulated, from fixed seeds.
#include "driver/results/paired_changes.hpp"

#include <cmath>
#include <limits>
#include <random>

#include <gmock/gmock.h>

#include "core/harness/comparisons.hpp"

namespace syncmeter::paired_changes_test {
namespace {

using enum change_verdict;
using testing::DoubleNear;
using testing::ElementsAre;

constexpr double threshold = 0.01;

// Visits scatter by `noise` (a standard deviation of logarithms) beside what both of a pair met.
class machine {
 public:
  explicit machine(std::uint64_t seed) : random_(seed) {}

  void visit(paired_visits& p, std::size_t visits, double change, double noise) {
    std::normal_distribution<> mood(0, noise);
    while (p.logs.size() < visits)
      p.logs.push_back(std::log(change) + mood(random_) - mood(random_));
  }
  std::vector<paired_visits> campaign(std::size_t points, std::size_t visits, double first_change,
                                      double noise) {
    std::vector<paired_visits> all(points);
    for (paired_visits& p : all) visit(p, visits, &p == &all.front() ? first_change : 1, noise);
    return all;
  }
  double uniform() { return std::uniform_real_distribution<>()(random_); }

 private:
  std::mt19937_64 random_;
};

bool reports_any(const std::vector<paired_change>& changes) {
  return std::ranges::any_of(
      changes, [](const auto& c) { return c.verdict == slower || c.verdict == faster; });
}

// As `ab --budget` does it: each point that cannot be told gets half as many visits more.
std::vector<paired_change> with_looks(machine& on, std::vector<paired_visits> points,
                                      std::size_t planned, std::size_t most, double first_change,
                                      double noise) {
  while (true) {
    for (paired_visits& p : points) p.share = share_of_look(p.logs.size(), planned, true);
    const std::vector<paired_change> changes = judge_changes(points, threshold);
    bool any = false;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const std::size_t next = next_look_at(points[i].logs.size());
      if (changes[i].verdict != cannot_tell || next > most) continue;
      on.visit(points[i], next, i == 0 ? first_change : 1, noise);
      any = true;
    }
    if (!any) return changes;
  }
}

TEST(PairedChanges, OfEqualBuildsReportNothing) {
  int reported = 0;
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    machine on(seed);
    // Load, unseen by the probes, that takes turns: half of the visits of either arm are slower.
    std::vector<paired_visits> points = on.campaign(20, 10, 1, 0.01);
    for (paired_visits& p : points) {
      for (double& log : p.logs) {
        if (on.uniform() < 0.5) log += std::log(1.1);
        if (on.uniform() < 0.5) log -= std::log(1.1);
      }
    }
    reported += reports_any(judge_changes(points, threshold)) ? 1 : 0;
  }
  EXPECT_LE(reported, 25);
}

TEST(PairedChanges, RaiseFewFalseAlarmsWhereEveryChangeIsAsLargeAsTheThreshold) {
  int at_one_look = 0, at_many = 0;
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    machine on(seed);
    std::vector<paired_visits> points(5);
    for (paired_visits& p : points) on.visit(p, 10, 1 + threshold, 0.01);
    at_one_look += reports_any(judge_changes(points, threshold)) ? 1 : 0;
    points.resize(1);
    at_many += reports_any(with_looks(on, points, 10, 200, 1 + threshold, 0.01)) ? 1 : 0;
  }
  EXPECT_LE(at_one_look, 25);
  EXPECT_GE(at_one_look, 3) << "a test that never reports is too strict";
  EXPECT_LE(at_many, 25);
}

TEST(PairedChanges, ThreePerCentAreFound) {
  int found = 0, found_with_budget = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    machine on(seed);
    found += judge_changes(on.campaign(20, 10, 1.03, 0.005), threshold).front().verdict == slower;
    found_with_budget +=
        with_looks(on, on.campaign(20, 10, 1.03, 0.02), 10, 200, 1.03, 0.02).front().verdict ==
        slower;
  }
  EXPECT_GE(found, 90);
  EXPECT_GE(found_with_budget, 90);
}

TEST(PairedChanges, ASmallerCostIsFaster) {
  machine on(1);
  EXPECT_EQ(judge_changes(on.campaign(20, 10, 0.95, 0.005), threshold).front().verdict, faster);
}

// Power: a change of the size that one campaign tells, in another one like it.
TEST(PairedChanges, TheSmallestDetectableChangeIsFoundInFourOfFiveCampaigns) {
  constexpr int trials = 500;
  for (const std::size_t visits : {4U, 10U, 30U}) {
    for (const std::size_t points : {1U, 20U}) {
      int found = 0;
      for (std::uint64_t seed = 1; seed <= trials; ++seed) {
        machine on(seed);
        const double size =
            judge_changes(on.campaign(points, visits, 1, 0.01), threshold).front().detectable;
        const auto again = judge_changes(on.campaign(points, visits, size, 0.01), threshold);
        found += again.front().verdict == slower ? 1 : 0;
      }
      EXPECT_GE(found, trials * 75 / 100) << visits << " visits, " << points << " points";
      EXPECT_LE(found, trials * 85 / 100) << visits << " visits, " << points << " points";
    }
  }
}

TEST(PairedChanges, TheSameMeansThatTheWholeIntervalIsWithinTheThreshold) {
  int told_same = 0;
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    machine on(seed);
    const auto at = judge_changes(on.campaign(1, 10, 1 + threshold, 0.002), threshold);
    told_same += at.front().verdict == same ? 1 : 0;
  }
  EXPECT_LE(told_same, 20) << "a change as large as the threshold is not the same";
  machine on(1);
  EXPECT_EQ(judge_changes(on.campaign(1, 10, 1, 0.002), threshold).front().verdict, same);
}

TEST(PairedChanges, TooFewPairsTellNothing) {
  const std::vector<paired_visits> points{{.logs = {}}, {.logs = {0.5}}, {.logs = {0.5, 0.5}}};
  for (const paired_change& c : judge_changes(points, threshold)) {
    EXPECT_EQ(c.verdict, cannot_tell);
    EXPECT_EQ(c.detectable, std::numeric_limits<double>::infinity());
    EXPECT_EQ(c.p, 1);
  }
}

// Nor do they count among the comparisons.
TEST(PairedChanges, PointsWithoutPairsCostTheOthersNothing) {
  machine on(3);
  std::vector<paired_visits> points = on.campaign(1, 5, 1.02, 0.003);
  const paired_change alone = judge_changes(points, threshold).front();
  points.resize(1000);
  const paired_change among = judge_changes(points, threshold).front();
  EXPECT_EQ(alone.p, among.p);
  EXPECT_EQ(alone.detectable, among.detectable);
}

TEST(PairedChanges, WithoutScatterAChangeIsCertain) {
  const std::vector<paired_visits> points{{.logs = {0.05, 0.05, 0.05}}, {.logs = {0, 0, 0}}};
  const auto changes = judge_changes(points, threshold);
  EXPECT_EQ(changes[0].verdict, slower);
  EXPECT_EQ(changes[1].verdict, same);
  EXPECT_THAT(changes[1].detectable, DoubleNear(1 + threshold, 1e-9));
}

TEST(ShareOfLook, IsHalvedWithEachLook) {
  EXPECT_EQ(share_of_look(10, 10, false), 1);
  EXPECT_EQ(share_of_look(10, 10, true), 0.5);
  EXPECT_EQ(share_of_look(9, 10, true), 0.5);
  EXPECT_EQ(next_look_at(10), 15U);
  EXPECT_EQ(share_of_look(11, 10, true), 0.25);
  EXPECT_EQ(share_of_look(15, 10, true), 0.25);
  EXPECT_EQ(share_of_look(16, 10, true), 0.125);
  EXPECT_EQ(next_look_at(1), 2U);
  EXPECT_EQ(share_of_look(2, 0, true), 0.25);
}

// R's p.adjust(c(.01, .02, .03, .04), "holm"), pt(2, 4, lower.tail = FALSE).
TEST(Comparisons, AgreeWithTextbooks) {
  EXPECT_THAT(holm(std::vector{0.04, 0.01, 0.03, 0.02}),
              ElementsAre(DoubleNear(0.06, 1e-12), DoubleNear(0.04, 1e-12), DoubleNear(0.06, 1e-12),
                          DoubleNear(0.06, 1e-12)));
  EXPECT_NEAR(student_t_tail(2, 4), 0.05805826, 1e-7);
  // Many values: the scatter is known, and the normal distribution's 1.96 + 0.84 remain.
  EXPECT_NEAR(detectable_errors(0.95, 5000), 2.80, 0.01);
}

}  // namespace
}  // namespace syncmeter::paired_changes_test
