// From rounds to estimates and a verdict, without a bench: rounds are made by hand.
#include "core/harness/estimate.hpp"

#include <cstddef>
#include <initializer_list>
#include <tuple>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace syncmeter::estimate_test {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

// One step a trip, 10 trips: a test side that is 10 ns longer is a cost of 1 ns.
const loop_shape shape{.info = {.name = "x", .unroll = 1}, .lanes = 2, .trips = 10};

std::vector<state_rounds>
states_of(std::initializer_list<std::tuple<unsigned, bool, std::size_t>> class_busy_and_rounds) {
  std::vector<state_rounds> states;
  for (const auto& [state_class, busy, rounds] : class_busy_and_rounds) {
    for (std::size_t i = 0; i < rounds; ++i) {
      sort_in(
          states,
          {.span_ns = {100, 130}, .host_ns = {200, 250}, .state_class = state_class, .busy = busy});
    }
  }
  return states;
}

TEST(Headline, IsTheMostFrequentQuietState) {
  EXPECT_EQ(headline(states_of({{0, true, 50}, {1, false, 7}, {0, false, 9}})), 2U);
  EXPECT_EQ(headline(states_of({{0, true, 50}, {1, false, 5}})), 1U);
}

TEST(Headline, IsTheMostFrequentWhereNoQuietStateHasFiveRounds) {
  EXPECT_EQ(headline(states_of({{1, false, 4}, {0, true, 6}, {1, true, 5}})), 1U);
  EXPECT_EQ(headline(states_of({{1, false, 4}, {0, true, 3}})), 0U);
}

TEST(Estimates, TheHeadlineFirstThenByRounds) {
  const auto estimates =
      estimate_states(states_of({{2, true, 3}, {0, true, 9}, {1, false, 6}, {0, false, 2}}), shape);
  ASSERT_THAT(estimates, SizeIs(4));
  std::vector<std::size_t> rounds;
  double shares = 0;
  for (const auto& e : estimates) {
    rounds.push_back(e.rounds);
    shares += e.share;
  }
  EXPECT_THAT(rounds, ElementsAre(6, 9, 3, 2));
  EXPECT_EQ(estimates[0].state_class, 1U);
  EXPECT_DOUBLE_EQ(estimates[0].share, 0.3);
  EXPECT_DOUBLE_EQ(shares, 1);
}

TEST(Estimates, EachFigureHasItsOwnUnit) {
  const auto estimates = estimate_states(states_of({{0, false, 5}}), shape);
  EXPECT_THAT(estimates.at(0).cost_ns.value, DoubleEq(3));
  EXPECT_THAT(estimates.at(0).host_cost_ns.value, DoubleEq(5));
  EXPECT_THAT(estimates.at(0).baseline_ns, DoubleEq(10));
  EXPECT_THAT(estimates.at(0).test_ns, DoubleEq(13));
}

// Costs of 10, 5 and 40 ns a trip; the medians of the sides, 200 and 205 ns, differ by 5.
TEST(Estimates, TheMedianIsOfTheRoundsDifferencesNotOfTheirSides) {
  std::vector<state_rounds> states;
  for (const auto& [baseline, test] : {std::pair{100., 110.}, {200., 205.}, {300., 340.}}) {
    sort_in(states, {.span_ns = {baseline, test},
                     .host_ns = {2 * baseline, 2 * test},
                     .cycles = {3 * baseline, 3 * test}});
  }
  const auto estimates = estimate_states(states, shape);
  EXPECT_THAT(estimates.at(0).cost_ns.value, DoubleEq(1));
  EXPECT_THAT(estimates.at(0).host_cost_ns.value, DoubleEq(2));
  EXPECT_THAT(estimates.at(0).cost_cycles.value, DoubleEq(3));
}

TEST(Resolution, IsATickOverTheOpsOfASample) {
  EXPECT_DOUBLE_EQ(
      resolution_ns(
          {.info = {.name = "x", .unroll = 4, .ops_per_step = 2}, .lanes = 3, .trips = 10}, 40),
      0.5);
  EXPECT_DOUBLE_EQ(
      resolution_ns(
          {.info = {.name = "x", .unroll = 4, .cost_per_lane = true}, .lanes = 4, .trips = 10}, 40),
      0.25);
}

// Six equal rounds with costs of 1 ns an op, and `at_four_ns` an op at 4 measured ops.
additivity_check check_at_four(double one_ns, double at_four_ns, double tick_ns) {
  const round r{.span_ns = {100, 100 + 10 * one_ns, 100 + 20 * one_ns, 100 + 40 * at_four_ns}};
  return check_additivity(std::vector(6, r), shape, tick_ns);
}

TEST(Additivity, NeedsADifferenceThatTheClockResolves) {
  // A tick of 5 ns over 10 ops resolves 0.5 ns.
  EXPECT_TRUE(check_at_four(0, 0.4, 5).additive);
  EXPECT_FALSE(check_at_four(0, 0.6, 5).additive);
}

TEST(Additivity, NeedsADifferenceOfMoreThanAFewPercent) {
  EXPECT_TRUE(check_at_four(100, 104, 5).additive);
  EXPECT_FALSE(check_at_four(100, 106, 5).additive);
  EXPECT_FALSE(check_at_four(100, 94, 5).additive);
}

// A visit with one estimate, of 11 rounds taken and `dropped` of them dropped.
visit_result visit_with(interval cost_ns, bool busy = false, std::size_t dropped = 0) {
  visit_result visit;
  visit.rounds_taken = 11;
  visit.drops[static_cast<std::size_t>(drop::moved)] = dropped;
  visit.estimates.push_back({.busy = busy,
                             .rounds = 11 - dropped,
                             .share = 1,
                             .cost_ns = cost_ns,
                             .host_cost_ns = cost_ns});
  return visit;
}

status status_of(const visit_result& visit) { return judge(visit, shape, 25).status; }

TEST(Verdict, ReadsTheInterval) {
  EXPECT_EQ(status_of(visit_with({.value = 2, .low = 1, .high = 3})), status::ok);
  EXPECT_EQ(status_of(visit_with({.value = 2, .low = -1, .high = 3})), status::not_resolved);
  EXPECT_EQ(status_of(visit_with({.value = 2, .low = 0, .high = 3})), status::not_resolved);
  EXPECT_EQ(status_of(visit_with({.value = -2, .low = -3, .high = 0})), status::not_resolved);
  EXPECT_EQ(status_of(visit_with({.value = -2, .low = -3, .high = -1})), status::interferes);
}

TEST(Verdict, SaysWhatSpoilsMost) {
  const interval good{.value = 2, .low = 1, .high = 3};
  const interval holds_zero{.value = 2, .low = -1, .high = 3};
  EXPECT_EQ(status_of(visit_with(good, true)), status::busy);
  EXPECT_EQ(status_of(visit_with(holds_zero, true)), status::not_resolved);
  EXPECT_EQ(status_of(visit_with(holds_zero, true, 6)), status::noisy);
  EXPECT_EQ(status_of(visit_with(good, false, 5)), status::ok) << "5 of 11 is not more than half";
  visit_result half = visit_with(good, false, 5);
  half.rounds_taken = 10;
  EXPECT_EQ(status_of(half), status::ok) << "nor is 5 of 10";
}

TEST(Verdict, TellsTheUpperBound) {
  EXPECT_THAT(judge(visit_with({.value = 1, .low = -1, .high = 3.25}), shape, 25).reason,
              HasSubstr("at most 3.25 ns"));
  // 25 ns over 10 ops: less than that the clock cannot tell from nothing.
  EXPECT_THAT(judge(visit_with({.value = 0, .low = 0, .high = 0}), shape, 25).reason,
              HasSubstr("at most 2.5 ns"));
}

TEST(Verdict, TellsWhatWasDropped) {
  auto visit = visit_with({.value = 2, .low = 1, .high = 3}, false, 6);
  visit.drops[static_cast<std::size_t>(drop::throttled)] = 2;
  EXPECT_THAT(judge(visit, shape, 25).reason,
              HasSubstr("8 of 11 sample pairs were dropped (moved 6, throttled 2)"));
}

}  // namespace
}  // namespace syncmeter::estimate_test
