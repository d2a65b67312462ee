// Placement states and busy lanes: rounds are sorted, shares add up, the headline is the quiet one.
// And additivity: whether four ops cost four times one.
#include "core/harness/harness.hpp"

#include <cmath>
#include <cstdint>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/harness/scripted_bench.hpp"

namespace syncmeter::harness_states_test {
namespace {

using test::call;
using test::jitter;
using test::scripted_bench;
using ::testing::SizeIs;

const interval& cost(const visit_result& visit) { return visit.estimates.at(0).cost_ns; }

TEST(Harness, TwoPlacementStatesAreEstimatedApart) {
  // For 2 ms the lanes sit close and an op costs 3 ns, then for 1 ms apart, and 9 ns.
  const auto apart = [](double now_ns) { return std::fmod(now_ns, 3e6) > 2e6; };
  auto noise = jitter(0.02, 11);
  scripted_bench bench({.disturb =
                            [&](sample& taken, const call& made) {
                              noise(taken, made);
                              if (apart(made.begin_ns) && made.index == 1)
                                taken.span_ns *= 2.2;  // 5 -> 11 ns a step
                            },
                        .hop_ns = [&](double now_ns) { return apart(now_ns) ? 110.0 : 12.0; }});
  const auto visit = bench.measure({.precision = 0, .max_time_ns = 60e6, .state_bounds = {36}});
  ASSERT_THAT(visit.estimates, SizeIs(2));
  EXPECT_EQ(visit.estimates[0].state_class, 0U);
  EXPECT_EQ(visit.estimates[1].state_class, 1U);
  EXPECT_NEAR(visit.estimates[0].cost_ns.value, 3, 0.1);
  EXPECT_NEAR(visit.estimates[1].cost_ns.value, 9, 0.1);
  EXPECT_NEAR(visit.estimates[0].share, 0.7, 0.1);
  EXPECT_DOUBLE_EQ(visit.estimates[0].share + visit.estimates[1].share, 1);
  EXPECT_EQ(visit.estimates[0].rounds + visit.estimates[1].rounds, visit.rounds.size());
  EXPECT_GE(visit.drops[static_cast<std::size_t>(drop::state_changed)], 10U);
  EXPECT_EQ(visit.hop_ns, 12);
  EXPECT_EQ(visit.status, status::ok) << visit.reason;
}

TEST(Harness, AStateChangeWithinARoundDropsIt) {
  // One single change, after 1 ms: exactly one round straddles it.
  scripted_bench bench({.hop_ns = [](double now_ns) { return now_ns < 1e6 ? 12.0 : 28.0; }});
  const auto visit = bench.measure({.precision = 0, .max_time_ns = 4e6, .state_bounds = {18, 60}});
  EXPECT_EQ(visit.drops[static_cast<std::size_t>(drop::state_changed)], 1U);
  EXPECT_EQ(bench.probes(), visit.rounds_taken + 1) << "one probe serves two rounds";
}

TEST(Harness, TheHopOfARoundIsTheMeanOfTheProbesAroundIt) {
  bool longer = false;
  scripted_bench bench({.hop_ns = [&](double) { return (longer = !longer) ? 50.0 : 40.0; }});
  for (const round& kept : bench.measure({}).rounds)
    EXPECT_DOUBLE_EQ(kept.hop_ns, std::sqrt(40.0 * 50));
}

// The start-up probe may have met one state only. A round in which the hop jumps is still dropped,
// and each estimate says at which hop it was taken.
TEST(Harness, WithoutBoundsAJumpOfTheHopStillDropsItsRound) {
  scripted_bench bench({.hop_ns = [](double now_ns) { return now_ns < 1e6 ? 12.0 : 280.0; }});
  const auto visit = bench.measure({});
  EXPECT_THAT(visit.estimates, SizeIs(1));
  EXPECT_EQ(visit.drops[static_cast<std::size_t>(drop::state_changed)], 1U);
  EXPECT_EQ(visit.estimates[0].hop_ns, 280);
}

TEST(Harness, ASmallStepOfTheHopIsNoOtherState) {
  scripted_bench bench({.hop_ns = [](double now_ns) { return now_ns < 1e6 ? 50.0 : 70.0; }});
  const auto visit = bench.measure({});
  EXPECT_EQ(visit.drops[static_cast<std::size_t>(drop::state_changed)], 0U);
}

TEST(Harness, TheHeadlineIsQuietWhenFiveRoundsAre) {
  // One sample in four is quiet; busy ones are slower.
  std::size_t rounds = 0;
  scripted_bench bench({.disturb = [&](sample& taken, const call& made) {
    if (made.number < 20) return;
    taken.busy = (rounds++ / 2) % 4 != 0;
    if (taken.busy) taken.span_ns *= 1.3;
  }});
  const auto visit = bench.measure({});
  EXPECT_EQ(visit.status, status::ok) << visit.reason;
  ASSERT_GE(visit.estimates.size(), 2U);
  EXPECT_FALSE(visit.estimates[0].busy);
  EXPECT_TRUE(visit.estimates[1].busy);
  EXPECT_LT(visit.estimates[0].rounds, visit.estimates[1].rounds);
  EXPECT_GE(visit.estimates[0].rounds, 11U) << "the stop rule looks at the headline's rounds";
  EXPECT_NEAR(visit.estimates[0].cost_ns.value, 3, 0.01);
}

TEST(Harness, BusyWhenFewerThanFiveRoundsAreQuiet) {
  scripted_bench bench({.disturb = [](sample& taken, const call& made) {
    taken.busy = made.index == 0 && made.number > 16;
  }});
  const auto visit = bench.measure({});
  EXPECT_EQ(visit.status, status::busy);
  EXPECT_TRUE(visit.estimates.at(0).busy);
  EXPECT_NE(visit.reason, "");
  EXPECT_NEAR(cost(visit).value, 3, 0.01) << "the estimate is there, and says what it is";
}

TEST(Harness, WhatIsNotResolvedComesBeforeBusy) {
  scripted_bench bench(
      {.cost_ns = 0, .disturb = [](sample& taken, const call&) { taken.busy = true; }});
  EXPECT_EQ(bench.measure({}).status, status::not_resolved);
}

TEST(Additivity, ACostThatHidesTheFirstOpsIsFlagged) {
  // The flush of the notes: nothing for one, 1.3 ns each for two, 1.9 each for four.
  scripted_bench bench({.added_ns = [](int k) { return k < 2   ? 0.05 * k
                                                       : k < 4 ? 2.6
                                                               : 7.6; },
                        .disturb = jitter(0.001, 5)});
  const auto visit = bench.measure({.additivity = true});
  EXPECT_EQ(visit.additive, false);
  EXPECT_NEAR(visit.additivity_ns[0], 0.05, 0.01);
  EXPECT_NEAR(visit.additivity_ns[1], 1.3, 0.02);
  EXPECT_NEAR(visit.additivity_ns[2], 1.9, 0.02);
}

TEST(Additivity, IsThatOfTheHeadlineState) {
  // A few busy rounds come first, and in them 4 ops cost more than 4 times one.
  scripted_bench bench({.disturb = [](sample& taken, const call& made) {
    taken.busy = made.number < 30;
    if (taken.busy && made.index == 3) taken.span_ns *= 2;
  }});
  const auto visit = bench.measure({.additivity = true});
  ASSERT_THAT(visit.estimates, SizeIs(2));
  EXPECT_EQ(visit.additive, true);
}

TEST(Additivity, AResolvedButSmallDifferenceIsNot) {
  const auto at_four = [](double per_op_ns) {
    scripted_bench bench({.added_ns = [=](int k) { return k == 4 ? 4 * per_op_ns : 3.0 * k; }});
    return bench.measure({.additivity = true}).additive;
  };
  EXPECT_EQ(at_four(3.0 * 1.04), true);
  EXPECT_EQ(at_four(3.0 * 1.06), false);
  EXPECT_EQ(at_four(3.0 * 0.94), false);
}

TEST(Additivity, NoiseAloneIsNot) {
  int additive = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    scripted_bench bench({.cost_ns = 0.1, .disturb = jitter(0.05, seed)});
    additive += bench.measure({.seed = seed, .additivity = true}).additive == true ? 1 : 0;
  }
  EXPECT_GE(additive, 90);
}

}  // namespace
}  // namespace syncmeter::harness_states_test
