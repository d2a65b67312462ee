// The harness against a bench whose truth is planted: costs are found, in balanced order, and the
// status says what was resolved.
#include "core/harness/harness.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/harness/scripted_bench.hpp"

namespace syncmeter::harness_test {
namespace {

using test::call;
using test::jitter;
using test::scripted_bench;
using ::testing::HasSubstr;
using ::testing::SizeIs;

bool holds(const interval& i, double truth) { return i.low <= truth && truth <= i.high; }

const interval& cost(const visit_result& visit) { return visit.estimates.at(0).cost_ns; }

// The samples after calibration and warm-up, that is, the rounds.
std::vector<call> calls_in_rounds(const scripted_bench& bench, const visit_result& visit,
                                  std::size_t sides = 2) {
  const auto& all = bench.calls();
  return {all.end() - static_cast<std::ptrdiff_t>(sides * visit.rounds_taken), all.end()};
}

TEST(HarnessTexts, EveryStatusReadsBack) {
  for (const auto s :
       {status::ok, status::not_resolved, status::interferes, status::elided, status::noisy,
        status::busy, status::too_slow, status::unsupported, status::failed, status::timeout}) {
    EXPECT_EQ(from_text<status>(to_text(s)), s) << to_text(s);
  }
  EXPECT_EQ(to_text(status::not_resolved), "not_resolved");
  EXPECT_EQ(from_text<status>("OK"), std::nullopt);
  EXPECT_EQ(from_text<status>(""), std::nullopt);
}

TEST(HarnessTexts, DropsAreSpelledAsInTheProtocol) {
  EXPECT_EQ(to_text(drop::none), "none");
  EXPECT_EQ(to_text(drop::moved), "moved");
  EXPECT_EQ(to_text(drop::preempted), "preempted");
  EXPECT_EQ(to_text(drop::state_changed), "state_changed");
  EXPECT_EQ(to_text(drop::throttled), "throttled");
}

TEST(NextLook, GrowsByThreeTenths) {
  std::vector<std::size_t> looks;
  for (std::size_t look = next_look(0); look < 80; look = next_look(look)) looks.push_back(look);
  EXPECT_THAT(looks, ::testing::ElementsAre(11, 15, 20, 26, 34, 45, 59, 77));
  EXPECT_EQ(next_look(12), 15U);
}

TEST(CostPerOp, SelfPairingSharesTheDifference) {
  const op_info info{.name = "x", .unroll = 4, .ops_per_step = 2};
  // 10 trips x 4 steps x 2 ops at 3 ns each, over a baseline of 100 ns.
  EXPECT_DOUBLE_EQ(cost_per_op_ns(info, 8, 1, 100, 100 + 80 * 3, 10), 3);
  EXPECT_DOUBLE_EQ(cost_per_op_ns(info, 8, 4, 100, 100 + 4 * 80 * 3, 10), 3);
}

TEST(CostPerOp, InsertPairingTakesOneBaselinePerOp) {
  const op_info info{.name = "x", .pairing = pairing::insert, .unroll = 4};
  EXPECT_DOUBLE_EQ(cost_per_op_ns(info, 1, 1, 100, 100 + 40 * 3, 10), 3);
  EXPECT_DOUBLE_EQ(cost_per_op_ns(info, 1, 4, 100, 4 * 100 + 4 * 40 * 3, 10), 3);
}

TEST(CostPerOp, PerLaneWhereOneOpVisitsEveryLane) {
  const op_info info{.name = "x", .unroll = 4, .cost_per_lane = true};
  EXPECT_DOUBLE_EQ(cost_per_op_ns(info, 8, 1, 100, 100 + 40 * 24, 10), 3);
}

struct planted : ::testing::TestWithParam<op_info> {};

TEST_P(planted, CostIsFound) {
  scripted_bench bench(
      {.info = GetParam(), .lanes = 4, .step_ns = 2.5, .cost_ns = 7, .disturb = jitter(0.001, 1)});
  const auto visit = bench.measure({.additivity = true});
  EXPECT_EQ(visit.status, status::ok) << visit.reason;
  EXPECT_EQ(visit.reason, "");
  EXPECT_EQ(visit.stopped_by, "precision");
  EXPECT_NEAR(cost(visit).value, 7, 0.05);
  EXPECT_TRUE(holds(cost(visit), 7));
  EXPECT_NEAR(visit.estimates[0].host_cost_ns.value, 7, 0.05);
  EXPECT_NEAR(visit.estimates[0].baseline_ns, 2.5, 0.02);
  const double step_of_test_ns =
      2.5 + 7 * GetParam().ops_per_step * (GetParam().cost_per_lane ? 4 : 1);
  EXPECT_NEAR(visit.estimates[0].test_ns, step_of_test_ns, 0.01 * step_of_test_ns);
  EXPECT_EQ(visit.additive, true);
  for (const double at_count : visit.additivity_ns) EXPECT_NEAR(at_count, 7, 0.1);
}

INSTANTIATE_TEST_SUITE_P(
    Pairings, planted,
    ::testing::Values(op_info{.name = "self"}, op_info{.name = "host_op", .unroll = 1},
                      op_info{.name = "insert", .pairing = pairing::insert},
                      op_info{.name = "two_ops", .unroll = 16, .ops_per_step = 2},
                      op_info{.name = "ring", .unroll = 4, .cost_per_lane = true}),
    [](const auto& suite) { return std::string(suite.param.name); });

TEST(Harness, StopsAtTheFirstLookWhenThereIsNoNoise) {
  scripted_bench bench({});
  const auto visit = bench.measure({});
  EXPECT_EQ(visit.stopped_by, "precision");
  EXPECT_EQ(visit.rounds_taken, 11U);
  EXPECT_THAT(visit.rounds, SizeIs(11));
  EXPECT_DOUBLE_EQ(visit.estimates.at(0).share, 1);
  EXPECT_TRUE(std::isnan(visit.rounds[0].span_ns[2])) << "2 measured ops were not asked for";
  EXPECT_EQ(visit.additive, std::nullopt);
}

TEST(Harness, LooksOnlyAtItsLooks) {
  const std::vector<std::size_t> looks{11, 15, 20, 26, 34, 45, 59, 77, 101, 132, 172, 224, 292};
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    scripted_bench bench({.disturb = jitter(0.02, seed)});
    const auto visit = bench.measure({.max_time_ns = 1e9, .seed = seed});
    ASSERT_EQ(visit.stopped_by, "precision");
    EXPECT_THAT(looks, ::testing::Contains(visit.rounds.size())) << "seed " << seed;
  }
}

TEST(Harness, TimesEverySampleAndProbe) {
  scripted_bench bench({.hop_ns = [](double) { return 20.0; }});
  const auto visit = bench.measure({});
  const double probes_ns = static_cast<double>(bench.probes()) * scripted_bench::probe_ns;
  EXPECT_NEAR(visit.timed_ns, bench.sampled_ns() + probes_ns, static_cast<double>(bench.probes()));
  EXPECT_NEAR(visit.elapsed_ns, static_cast<double>(bench.now_ns()), 1);
}

TEST(Harness, FairnessIsTheMedianOfTheTestSideOverAllRounds) {
  // It falls from round to round.
  const auto fairness_of = [](const call& made) {
    return 1 / (1 + static_cast<double>(made.number));
  };
  scripted_bench bench({.disturb = [&](sample& taken, const call& made) {
    taken.fairness = made.index == 1 ? fairness_of(made) : 0.001;
    taken.slowest_over_fastest = made.index == 1 ? 1 / taken.fairness : 9000;
  }});
  const auto visit = bench.measure({});
  std::vector<double> of_tests;
  for (const call& made : calls_in_rounds(bench, visit)) {
    if (made.index == 1) of_tests.push_back(fairness_of(made));
  }
  EXPECT_EQ(visit.fairness, median(of_tests));
  EXPECT_EQ(visit.slowest_over_fastest, 1 / median(of_tests));
}

TEST(Harness, RoundsComeInPairsOfAbAndBa) {
  std::size_t test_first = 0;
  for (std::uint64_t seed = 0; seed < 64; ++seed) {
    scripted_bench bench({});
    const auto visit = bench.measure({.seed = seed});
    const auto calls = calls_in_rounds(bench, visit);
    for (std::size_t pair = 0; pair + 4 <= calls.size(); pair += 4) {
      EXPECT_NE(calls[pair].index, calls[pair + 1].index);
      EXPECT_NE(calls[pair].index, calls[pair + 2].index) << "one AB, one BA";
      EXPECT_NE(calls[pair + 2].index, calls[pair + 3].index);
    }
    test_first += calls[0].index == 1 ? 1 : 0;
  }
  EXPECT_GT(test_first, 16U) << "the first of a pair is drawn";
  EXPECT_LT(test_first, 48U);
}

std::vector<std::size_t> sides_in_rounds(const scripted_bench& bench, const visit_result& visit) {
  std::vector<std::size_t> sides;
  for (const call& made : calls_in_rounds(bench, visit)) sides.push_back(made.index);
  return sides;
}

TEST(Harness, RoundsAreExpectedUpToEachLook) {
  scripted_bench bench({.disturb = jitter(0.02, 3)});
  const auto visit = bench.measure({.max_time_ns = 1e9, .rounds_at_once = 8});
  const std::vector<std::size_t> first{5, 6, 4, 5, 6, 8};
  const auto& at_once = bench.expected_at_once();
  ASSERT_GE(at_once.size(), first.size()) << "a noisy point";
  EXPECT_EQ(std::vector(at_once.begin(), at_once.begin() + 6), first);
  EXPECT_EQ(*std::max_element(at_once.begin(), at_once.end()), 8U);
  EXPECT_EQ(bench.expected(), sides_in_rounds(bench, visit))
      << "none is taken that is not expected";
}

TEST(Harness, NoRoundIsExpectedUnasked) {
  scripted_bench bench({});
  (void)bench.measure({});
  EXPECT_THAT(bench.expected_at_once(), SizeIs(0));
}

// Rounds of 4 ms: the second look would be after 44 ms.
TEST(Harness, NoMoreRoundsAreExpectedThanTheTimeLasts) {
  scripted_bench bench({.step_ns = 2e6 / 32, .cost_ns = 1, .disturb = jitter(0.02, 3)});
  const auto visit = bench.measure({.max_time_ns = 40e6, .rounds_at_once = 16});
  EXPECT_EQ(visit.stopped_by, "max_time");
  EXPECT_LT(visit.elapsed_ns, 1.2 * 40e6);
  EXPECT_EQ(bench.expected(), sides_in_rounds(bench, visit));
}

TEST(Harness, TheSeedAloneDecidesTheOrder) {
  const auto order_of = [](std::uint64_t seed) {
    scripted_bench bench({.disturb = jitter(0.001, 9)});
    (void)bench.measure({.seed = seed});
    std::string order;
    for (const call& made : bench.calls()) order += std::to_string(made.index);
    return order;
  };
  EXPECT_EQ(order_of(5), order_of(5));
  EXPECT_NE(order_of(5), order_of(6));
}

TEST(Harness, AdditivityRoundsAreReversedAsAWhole) {
  scripted_bench bench({});
  const auto visit = bench.measure({.additivity = true});
  const auto calls = calls_in_rounds(bench, visit, 4);
  for (std::size_t first = 0; first < calls.size(); first += 4) {
    std::vector<std::size_t> order;
    for (std::size_t i = first; i < first + 4; ++i) order.push_back(calls[i].index);
    EXPECT_THAT(order, ::testing::AnyOf(::testing::ElementsAre(0, 1, 2, 3),
                                        ::testing::ElementsAre(3, 2, 1, 0)));
  }
}

// Every sample is slower than the one before by `per_sample_ns` a step, whatever its side: AB
// rounds alone would find a cost too high by as much.
scripted_bench drifting(double cost_ns, double per_sample_ns) {
  return scripted_bench({.cost_ns = cost_ns, .disturb = [=](sample& taken, const call& made) {
                           taken.span_ns +=
                               per_sample_ns * static_cast<double>(made.number) * made.trips * 32;
                         }});
}

TEST(Harness, ALinearDriftDoesNotBias) {
  double sum = 0;
  constexpr int seeds = 200;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    auto bench = drifting(0.5, 0.05);
    const auto visit = bench.measure({.max_time_ns = 5e6, .seed = seed});
    EXPECT_NEAR(cost(visit).low, 0.45, 1e-9);
    EXPECT_NEAR(cost(visit).high, 0.55, 1e-9);
    sum += cost(visit).value;
  }
  EXPECT_NEAR(sum / seeds, 0.5, 0.01) << "AB alone finds 0.55";
}

TEST(Harness, AdditivityDoesNotMistakeADriftForACost) {
  // Three samples lie between the baseline and 4 measured ops: 0.15 ns, not reversed 7.5 % an op.
  auto bench = drifting(0.5, 0.05);
  const auto visit = bench.measure({.max_time_ns = 5e6, .additivity = true});
  EXPECT_EQ(visit.additive, true);
}

TEST(Harness, AaIsNotResolvedInNinetyOfAHundredSeeds) {
  int not_resolved = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    scripted_bench bench({.info = {.name = "aa", .empty_on_purpose = true},
                          .cost_ns = 0,
                          .disturb = jitter(0.01, 1000 + seed)});
    const auto visit = bench.measure({.seed = seed});
    if (visit.status != status::not_resolved) continue;
    ++not_resolved;
    EXPECT_THAT(visit.reason, HasSubstr("at most"));
    EXPECT_TRUE(holds(cost(visit), 0));
  }
  EXPECT_GE(not_resolved, 90);
}

TEST(Harness, AnUpperBoundIsNeverABareZero) {
  scripted_bench bench({.cost_ns = 0});
  const auto visit = bench.measure({.clock_tick_ns = 25});
  EXPECT_EQ(visit.status, status::not_resolved);
  EXPECT_EQ(cost(visit), (interval{.value = 0, .low = 0, .high = 0}));
  EXPECT_THAT(visit.reason, ::testing::Not(HasSubstr("at most 0 ns")));
}

TEST(Harness, InterferesWhenTheOpMakesTheLoopFaster) {
  scripted_bench bench({.step_ns = 5, .cost_ns = -1, .disturb = jitter(0.001, 2)});
  const auto visit = bench.measure({});
  EXPECT_EQ(visit.status, status::interferes);
  EXPECT_EQ(visit.stopped_by, "precision") << "a negative estimate can be precise too";
  EXPECT_NEAR(cost(visit).value, -1, 0.05);
  EXPECT_THAT(visit.reason, HasSubstr("faster"));
}

TEST(Harness, StopsWhereTheClockResolvesNoMore) {
  // 0.0001 ns an op beneath jitter of the same size: within 1 % would take very long, but the clock
  // cannot tell such differences apart anyway.
  scripted_bench bench({.step_ns = 2, .cost_ns = 1e-4, .disturb = jitter(5e-5, 8)});
  const auto visit = bench.measure({.clock_tick_ns = 50});
  EXPECT_EQ(visit.stopped_by, "resolution");
}

TEST(Harness, EndsAfterFiveRoundsThatAgreeWhereItMay) {
  for (const double asked : {0.0, 0.001}) {
    scripted_bench bench({.cost_ns = 3, .disturb = jitter(1e-4, 3)});
    const auto visit = bench.measure({.early_precision = asked});
    EXPECT_EQ(visit.stopped_by, "precision");
    EXPECT_EQ(visit.rounds_taken, asked == 0 ? 11U : early_look) << asked;
  }
  scripted_bench the_same({.cost_ns = 3});
  EXPECT_EQ(the_same.measure({}).rounds_taken, 11U) << "only where it is asked to";
  scripted_bench scattered({.cost_ns = 3, .disturb = jitter(2e-3, 3)});
  EXPECT_EQ(scattered.measure({.early_precision = 0.001}).rounds_taken, 11U)
      << "within 1 %, not within 0.1 %";
  // One clock tick in 100 trips of 32 ops is far more than five rounds of a cost of 0 differ by.
  scripted_bench none({.cost_ns = 1e-6, .disturb = jitter(1e-5, 3)});
  EXPECT_GE(none.measure({.early_precision = 0.001, .clock_tick_ns = 50}).rounds_taken, 11U)
      << "what the clock does not resolve has no precision to be early for";
}

TEST(Harness, SaysWhenARoundBegins) {
  scripted_bench bench({});
  const visit_result visit = bench.measure({});
  const auto& begun = bench.samples_before_round();
  ASSERT_THAT(begun, SizeIs(visit.rounds_taken));
  for (std::size_t i = 0; i < begun.size(); ++i) {
    EXPECT_EQ(begun[i], bench.calls().size() - 2 * (begun.size() - i))
        << "both sides are within it";
  }
}

TEST(Harness, CyclesAreWhatTheDeviceCounted) {
  scripted_bench bench({.cost_ns = 3, .disturb = [](sample& taken, const call&) {
                          taken.cycles = 2 * taken.span_ns;
                        }});
  const visit_result counted = bench.measure({});
  EXPECT_NEAR(counted.estimates.at(0).cost_cycles.value, 6, 0.01);
  EXPECT_EQ(scripted_bench({}).measure({}).estimates.at(0).cost_cycles.value, 0);
}

TEST(OwnerChanges, AreCountedOnceAfterTheRoundsWithTheirTrips) {
  std::uint32_t counted_trips = 0;
  scripted_bench bench({.owner_changes = [&](std::uint32_t trips) {
    counted_trips = trips;
    return 0.25;
  }});
  const auto visit = bench.measure({});
  EXPECT_EQ(visit.owner_changes, 0.25);
  EXPECT_EQ(counted_trips, visit.trips);
  EXPECT_THAT(bench.samples_before_count(), ::testing::ElementsAre(bench.calls().size()));
  EXPECT_THAT(visit.rounds, SizeIs(11)) << "the sample is no round";
}

TEST(OwnerChanges, AreLeftOutWithoutALockAndWithoutAnEstimate) {
  EXPECT_EQ(scripted_bench({}).measure({}).owner_changes, std::nullopt);
  const auto counted = [](std::uint32_t) { return 0.25; };
  scripted_bench slow({.step_ns = 1e9, .owner_changes = counted});
  const auto too_slow = slow.measure({});
  EXPECT_EQ(too_slow.status, status::too_slow);
  EXPECT_EQ(too_slow.owner_changes, std::nullopt);
  EXPECT_THAT(slow.samples_before_count(), ::testing::IsEmpty());
  scripted_bench wrong({.disturb = [](sample& taken, const call&) { taken.failure = "wrong"; },
                        .owner_changes = counted});
  EXPECT_EQ(wrong.measure({}).owner_changes, std::nullopt);
  EXPECT_THAT(wrong.samples_before_count(), ::testing::IsEmpty());
}

TEST(OwnerChanges, AFailureOfTheirSampleFailsTheVisit) {
  scripted_bench bench({.owner_changes = [](std::uint32_t) -> double {
    throw std::runtime_error("the team is gone");
  }});
  const auto visit = bench.measure({});
  EXPECT_EQ(visit.status, status::failed);
  EXPECT_EQ(visit.reason, "the team is gone");
  EXPECT_EQ(visit.owner_changes, std::nullopt);
}

}  // namespace
}  // namespace syncmeter::harness_test
