// Calibration: samples long enough for the clock, never longer than the visit may take.
#include "core/harness/harness.hpp"

#include <cstdint>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/harness/scripted_bench.hpp"

namespace syncmeter::calibrate_test {
namespace {

using test::call;
using test::scripted_bench;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const interval& cost(const visit_result& visit) { return visit.estimates.at(0).cost_ns; }

TEST(Calibration, TheLongerSideReachesTheGoal) {
  for (const double step_ns : {0.05, 2.0, 700.0, 90e3}) {
    scripted_bench bench({.step_ns = step_ns, .cost_ns = step_ns});
    const auto visit =
        bench.measure({.max_time_ns = 1e9, .min_sample_ns = 100e3, .clock_tick_ns = 25});
    ASSERT_FALSE(visit.rounds.empty());
    EXPECT_GE(visit.rounds[0].span_ns[1], 100e3) << step_ns;
    EXPECT_LE(visit.rounds[0].span_ns[1], 121e3 + 32 * 2 * step_ns)
        << "a fifth and a trip beyond, at most";
  }
}

TEST(Calibration, TheBaselineCountsWhereItIsTheLonger) {
  scripted_bench bench({.step_ns = 5, .cost_ns = -4});
  const auto visit = bench.measure({});
  EXPECT_GE(visit.rounds.at(0).span_ns[0], 100e3);
  EXPECT_LE(visit.rounds.at(0).span_ns[0], 130e3);
}

TEST(Calibration, ACoarseClockAsksForLongerSamples) {
  scripted_bench bench({});
  const auto visit =
      bench.measure({.max_time_ns = 1e9, .min_sample_ns = 100e3, .clock_tick_ns = 1000});
  EXPECT_GE(visit.rounds.at(0).span_ns[1], 2000 * 1000.0);
}

TEST(Calibration, NeverGrowsMoreThanTenfoldAtOnce) {
  scripted_bench bench({.step_ns = 0.01, .cost_ns = 0.01});
  (void)bench.measure({});
  std::uint32_t previous = 1;
  for (const call& made : bench.calls()) {
    EXPECT_LE(made.trips, 10 * previous);
    previous = made.trips;
  }
}

TEST(Calibration, BothSidesAreWarmWithTheFinalTrips) {
  for (const bool hinted : {false, true}) {
    for (const bool additivity : {false, true}) {
      scripted_bench bench({});
      const auto visit = bench.measure({.trips = hinted ? 700U : 0U, .additivity = additivity});
      const std::size_t sides = additivity ? 4 : 2;
      const std::size_t before = bench.calls().size() - sides * visit.rounds_taken;
      std::map<std::size_t, int> warm;
      for (std::size_t i = 0; i < before; ++i) {
        if (bench.calls()[i].trips == visit.trips) ++warm[bench.calls()[i].index];
      }
      EXPECT_THAT(warm, SizeIs(sides)) << "hinted " << hinted << " additivity " << additivity;
    }
  }
}

TEST(Calibration, AFittingHintIsTakenAsItIs) {
  scripted_bench bench({});  // 32 steps x 5 ns: 160 ns a trip, so 625 trips are the goal
  const auto visit = bench.measure({.trips = 500});
  EXPECT_EQ(visit.trips, 500U);
  EXPECT_EQ(bench.calls().size(), 2 + 2 * visit.rounds_taken) << "verified once";
}

TEST(Calibration, ASampleThatSaysItWasDisturbedIsTakenAgain) {
  scripted_bench bench({.disturb = [](sample& taken, const call& made) {
    if (made.number > 1) return;
    taken.dropped = drop::preempted;
    taken.span_ns *= 10;
  }});
  EXPECT_EQ(bench.measure({.trips = 500}).trips, 500U)
      << "the hint is judged by undisturbed samples";
}

TEST(Calibration, AHintFarOffIsCalibratedAgain) {
  for (const std::uint32_t hint : {300U, 1950U}) {  // 0.48 and 3.1 times the goal
    scripted_bench bench({});
    const auto visit = bench.measure({.trips = hint});
    EXPECT_NE(visit.trips, hint);
    EXPECT_GE(visit.rounds.at(0).span_ns[1], 100e3);
    EXPECT_LE(visit.rounds.at(0).span_ns[1], 130e3);
  }
}

TEST(Calibration, TooSlowSaysTheTimeSeen) {
  // A trip of 32 steps, the test side 90 ms long.
  scripted_bench bench({.step_ns = 1e6, .cost_ns = 90e6 / 32 - 1e6});
  const auto visit = bench.measure({.max_time_ns = 30e6});
  EXPECT_EQ(visit.status, status::too_slow);
  EXPECT_THAT(visit.reason, AllOf(HasSubstr("90 ms"), HasSubstr("50 ms")));
  EXPECT_THAT(visit.estimates, IsEmpty());
  EXPECT_EQ(visit.rounds_taken, 0U);
  EXPECT_THAT(bench.calls(), SizeIs(2)) << "seen once, confirmed once";
}

TEST(Calibration, WhatOtherWorkMadeSlowIsNoisyAndNotTooSlow) {
  scripted_bench bench({.disturb = [](sample& taken, const call&) {
    taken.dropped = drop::preempted;
    taken.span_ns += 700e6;
  }});
  const auto visit = bench.measure({.max_time_ns = 30e6});
  EXPECT_EQ(visit.status, status::noisy) << "too_slow would be for good";
  EXPECT_THAT(visit.reason, AllOf(HasSubstr("700 ms"), HasSubstr("preempted")));
}

TEST(Calibration, ShortVisitsTakeLongTripsToo) {
  // Of 40 ms on the test side: longer than this visit, and no longer than a usual one may be.
  scripted_bench bench({.step_ns = 1e5, .cost_ns = 40e6 / 32 - 1e5});
  const auto visit = bench.measure({.max_time_ns = 10e6});
  EXPECT_NE(visit.status, status::too_slow);
  EXPECT_EQ(visit.rounds_taken, 2U) << "one in each order, in which a drift cancels";
}

TEST(Calibration, OneLongStopOfTheMachineIsNotTooSlow) {
  scripted_bench bench({.disturb = [](sample& taken, const call& made) {
    if (made.number == 0) taken.span_ns += 80e6;
  }});
  EXPECT_EQ(bench.measure({.max_time_ns = 30e6}).status, status::ok);
}

TEST(Calibration, FiveRoundsAreFinishedEvenWhenTheTimeIsOver) {
  scripted_bench bench({.info = {.name = "slow", .unroll = 1}, .step_ns = 4e6, .cost_ns = 5e6});
  const auto visit = bench.measure({.max_time_ns = 30e6});  // a round lasts 13 ms
  EXPECT_EQ(visit.stopped_by, "max_time");
  EXPECT_EQ(visit.rounds_taken, 5U);
}

TEST(Calibration, TwoRoundsWhereASingleOneTakesLongerThanTheVisitMay) {
  scripted_bench bench({.info = {.name = "slow", .unroll = 1}, .step_ns = 14e6, .cost_ns = 15e6});
  const auto visit = bench.measure({.max_time_ns = 30e6});  // a round lasts 43 ms
  EXPECT_EQ(visit.stopped_by, "max_time");
  EXPECT_EQ(visit.rounds_taken, 2U);
  EXPECT_NEAR(cost(visit).value, 15e6, 1);
}

}  // namespace
}  // namespace syncmeter::calibrate_test
