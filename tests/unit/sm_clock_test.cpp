#include "backends/cuda/sm_clock.hpp"

#include <gtest/gtest.h>

namespace syncmeter::cuda {
namespace {

TEST(SmClock, IsSteadyWhereNothingThrottles) {
  sm_clock clock;
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(clock.is_throttled(i % 2 == 0 ? 1.98 : 1.97));
}

TEST(SmClock, SeesASlowerClockUntilItIsBack) {
  sm_clock clock;
  EXPECT_FALSE(clock.is_throttled(1.98));
  EXPECT_FALSE(clock.is_throttled(1.98));
  EXPECT_TRUE(clock.is_throttled(1.7));
  EXPECT_TRUE(clock.is_throttled(1.7));
  EXPECT_FALSE(clock.is_throttled(1.98));
}

TEST(SmClock, OneReadingTooHighThrottlesNothing) {
  sm_clock clock;
  EXPECT_FALSE(clock.is_throttled(1.98));
  EXPECT_FALSE(clock.is_throttled(2.4));
  EXPECT_FALSE(clock.is_throttled(1.98));
  EXPECT_FALSE(clock.is_throttled(1.98));
}

TEST(SmClock, SaysTheLastClock) {
  sm_clock clock;
  EXPECT_EQ(clock.last_ghz(), 1);
  (void)clock.is_throttled(1.98);
  EXPECT_EQ(clock.last_ghz(), 1.98);
}

TEST(SmClock, ManyShortLaunchesHaveToLastLonger) {
  EXPECT_GT(shortest_clocked_ns(16), 3 * shortest_clocked_ns(1));
}

}  // namespace
}  // namespace syncmeter::cuda
