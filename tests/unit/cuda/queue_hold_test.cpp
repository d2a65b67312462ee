#include "backends/cuda/rig/queue_hold.hpp"

#include <gtest/gtest.h>

namespace syncmeter::cuda {
namespace {

TEST(QueueHold, IsShortWhereTheHostMayStillQueue) {
  queue_hold hold;
  EXPECT_EQ(hold.ns(10, false), 20'000);
  hold.learn(1'000'000, 100);
  EXPECT_EQ(hold.ns(100, false), 20'000);
}

TEST(QueueHold, LastsUntilAllIsQueuedByWhatALaunchTookBefore) {
  queue_hold hold;
  hold.learn(80'000, 10);
  EXPECT_EQ(hold.ns(20, true), 20'000 + 200'000) << "8 us a launch, and a quarter more";
  hold.learn(20'000, 10);
  EXPECT_EQ(hold.ns(20, true), 20'000 + 50'000);
}

TEST(QueueHold, LastsForAQueueBeforeAnyIsKnown) { EXPECT_GT(queue_hold{}.ns(10, true), 100'000); }

TEST(QueueHold, LearnsNothingOfALongQueueInWhichTheHostWaitedForTheHold) {
  queue_hold hold;
  hold.learn(80'000, 10);
  hold.learn(2'000'000, 1000);
  hold.learn(0, 0);
  EXPECT_EQ(hold.ns(20, true), 20'000 + 200'000);
}

TEST(QueueHold, EndsThoughTheHostWasStopped) {
  queue_hold hold;
  hold.learn(3'000'000'000, 10);
  EXPECT_EQ(hold.ns(500, true), 2'000'000);
}

}  // namespace
}  // namespace syncmeter::cuda
