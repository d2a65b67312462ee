#include "backends/cuda/runtime/sm_clock.hpp"

#include <gtest/gtest.h>

namespace syncmeter::cuda {
namespace {

constexpr double highest = 2.1;

TEST(SmClock, IsSteadyWhereNothingThrottles) {
  sm_clock clock{highest};
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(clock.is_throttled(i % 2 == 0 ? 1.98 : 1.97));
}

TEST(SmClock, SeesASlowerClockUntilItIsBack) {
  sm_clock clock{highest};
  EXPECT_FALSE(clock.is_throttled(1.98));
  EXPECT_FALSE(clock.is_throttled(1.98));
  EXPECT_TRUE(clock.is_throttled(1.7));
  EXPECT_TRUE(clock.is_throttled(1.7));
  EXPECT_FALSE(clock.is_throttled(1.98));
}

TEST(SmClock, OneReadingTooHighThrottlesNothing) {
  sm_clock clock{highest};
  EXPECT_FALSE(clock.is_throttled(1.98));
  EXPECT_FALSE(clock.is_throttled(2.4));
  EXPECT_FALSE(clock.is_throttled(1.98));
  EXPECT_FALSE(clock.is_throttled(1.98));
}

TEST(SmClock, ReadingsAboveTheDevicesHighestThrottleNothingThatReachesIt) {
  sm_clock clock{1.98};
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(clock.is_throttled(2.2));
  EXPECT_FALSE(clock.is_throttled(1.98));
  EXPECT_TRUE(clock.is_throttled(1.9));
}

TEST(SmClock, ASlowerClockThatLastsIsTheClock) {
  sm_clock clock{highest};
  for (int i = 0; i < 2; ++i) EXPECT_FALSE(clock.is_throttled(1.98));
  for (unsigned i = 1; i < sm_clock::lasting; ++i) EXPECT_TRUE(clock.is_throttled(1.5));
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(clock.is_throttled(1.5));
  EXPECT_TRUE(clock.is_throttled(1.4));
  EXPECT_FALSE(clock.is_throttled(1.98));
}

TEST(SmClock, SaysTheLastClock) {
  sm_clock clock{highest};
  EXPECT_EQ(clock.last_ghz(), 1);
  (void)clock.is_throttled(1.98);
  EXPECT_EQ(clock.last_ghz(), 1.98);
}

TEST(SeenClocks, AreTheMedianOfEachDeviceAndNotTheLastSample) {
  device_clocks clocks;
  for (const double ghz : {1.9, 1.98, 0.3}) clocks.add(0, ghz);
  clocks.add(2, 1.5);
  EXPECT_EQ(clocks.medians(), (std::vector<double>{1.9, 0, 1.5}));
  clocks.clear();
  EXPECT_TRUE(clocks.medians().empty());
}

TEST(SmClock, ManyShortLaunchesHaveToLastLonger) {
  EXPECT_GT(shortest_clocked_ns(16), 3 * shortest_clocked_ns(1));
}

}  // namespace
}  // namespace syncmeter::cuda
