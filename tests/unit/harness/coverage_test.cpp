// Does a reported 95 % interval hold the truth as often as it says? Simulated campaigns, whose
// visits differ by a planted 5 % (other pages, other cores, another mood of the machine), and whose
// rounds within one visit agree far better than that.
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "core/harness/harness.hpp"
#include "core/harness/stats.hpp"
#include "tests/unit/harness/scripted_bench.hpp"

namespace syncmeter::coverage_test {
namespace {

constexpr double truth_ns = 3;
constexpr int campaigns = 1000;

bool holds_truth(const interval& i) { return i.low <= truth_ns && truth_ns <= i.high; }

// One visit: the machine is `mood` times as slow as in the long run, and rounds scatter by 1 %.
visit_result visit_in(double mood, std::uint64_t seed) {
  test::scripted_bench bench({.cost_ns = truth_ns * mood, .disturb = test::jitter(0.01, seed)});
  return bench.measure({.precision = 0.02, .seed = seed});
}

struct campaign {
  std::vector<double> visit_medians;
  interval first_visit;
};

campaign simulate(std::size_t visits, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<> mood(1, 0.05);
  campaign c;
  for (std::size_t i = 0; i < visits; ++i) {
    const auto visit = visit_in(mood(random), seed * 1000 + i);
    EXPECT_EQ(visit.status, status::ok) << visit.reason;
    c.visit_medians.push_back(visit.estimates.at(0).cost_ns.value);
    if (i == 0) c.first_visit = visit.estimates[0].cost_ns;
  }
  return c;
}

TEST(Coverage, AnIntervalOverFiveVisitsHoldsTheTruth) {
  int covered = 0;
  for (std::uint64_t seed = 1; seed <= campaigns; ++seed) {
    covered += holds_truth(over_visits(simulate(5, seed).visit_medians)) ? 1 : 0;
  }
  RecordProperty("covered", covered);
  EXPECT_GE(covered, 900) << "of " << campaigns;
  EXPECT_LT(covered, 990) << "an interval that always covers is too wide";
}

TEST(Coverage, PoolingTheRoundsOfOneStretchDoesNot) {
  int covered = 0;
  for (std::uint64_t seed = 1; seed <= campaigns; ++seed) {
    covered += holds_truth(simulate(1, seed).first_visit) ? 1 : 0;
  }
  RecordProperty("covered", covered);
  EXPECT_LT(covered, campaigns / 2);
}

// Within a visit the interval is about that visit, and there it holds: also with the looks of the
// stop rule, each of which is a chance to stop at a lucky moment.
TEST(Coverage, AVisitsIntervalHoldsTheVisitsOwnCost) {
  int covered = 0;
  for (std::uint64_t seed = 1; seed <= campaigns; ++seed) {
    const auto visit = visit_in(1, seed);
    covered += holds_truth(visit.estimates.at(0).cost_ns) ? 1 : 0;
  }
  RecordProperty("covered", covered);
  EXPECT_GE(covered, 900) << "of " << campaigns;
}

// Of three visits that may end after five rounds. About half of them do at that scatter of rounds,
// and those whose five lie together by luck are no worse than the others.
TEST(Coverage, VisitsThatMayEndEarlyHoldTheTruthAsOftenAsOthers) {
  for (const double early_precision : {0.0, 0.001}) {
    int covered = 0, early = 0;
    double away = 0;
    for (std::uint64_t seed = 1; seed <= campaigns; ++seed) {
      std::vector<double> medians;
      for (std::uint64_t visit = 0; visit < 3; ++visit) {
        test::scripted_bench bench(
            {.cost_ns = truth_ns, .disturb = test::jitter(4e-4, seed * 1000 + visit)});
        const auto found = bench.measure({.early_precision = early_precision, .seed = seed});
        early += found.rounds_taken == early_look ? 1 : 0;
        medians.push_back(found.estimates.at(0).cost_ns.value);
      }
      const interval over = over_visits(medians);
      covered += holds_truth(over) ? 1 : 0;
      away += over.value - truth_ns;
    }
    EXPECT_GE(covered, 930) << "of " << campaigns;
    EXPECT_LT(covered, 990) << "an interval that always covers is too wide";
    EXPECT_LT(std::abs(away / campaigns), 1e-4 * truth_ns) << "no bias by the time of the stop";
    if (early_precision == 0) EXPECT_EQ(early, 0);
    else EXPECT_GE(early, campaigns) << "of " << 3 * campaigns;
  }
}

}  // namespace
}  // namespace syncmeter::coverage_test
