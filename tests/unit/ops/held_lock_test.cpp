// A lock held for a while: sections that overlap are seen, waits are counted and told apart.
#include "core/ops/held_lock.hpp"

#include <gmock/gmock.h>

#include <mutex>

#include "core/ops/lock_objects.hpp"

namespace syncmeter::ops {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

TEST(held_lock, CountsItsSectionsAndTheirWaits) {
  held_lock<mcs_lock> held{{.lanes = 2}};
  for (unsigned lane : {0U, 1U, 1U, 0U}) held.section(lane);
  EXPECT_THAT(held.wrong({.lanes = 2, .ops = 2}), IsEmpty());
  EXPECT_THAT(held.wrong({.lanes = 2, .ops = 3}), HasSubstr("counted 4 sections of 6"));
  wait_times all;
  held.add_waits(all);
  EXPECT_EQ(all.count(), 4U);
}

TEST(held_lock, TakesALockThatIsMadeFromNothing) {
  held_lock<std::mutex> held{{.lanes = 1, .section_ns = 1, .think_ns = 1}};
  held.section(0);
  EXPECT_THAT(held.wrong({.lanes = 1, .ops = 1}), IsEmpty());
}

TEST(spun_work, IsNothingForNothingAndGrowsWithTheTime) {
  EXPECT_EQ(steps_of(0), 0U);
  EXPECT_GT(steps_of(100'000), 100 * steps_of(500));
}

TEST(wait_times, TellTimesApartToAnEighth) {
  wait_times waits;
  EXPECT_EQ(waits.at_share(0.5), 0U);
  for (std::int64_t ns = 1; ns <= 1000; ++ns) waits.add(ns);
  EXPECT_EQ(waits.count(), 1000U);
  EXPECT_EQ(waits.longest_ns(), 1000U);
  for (const double share : {0.001, 0.01, 0.1, 0.5, 0.9, 0.999}) {
    const auto seen = static_cast<double>(waits.at_share(share));
    EXPECT_GE(seen, 1000 * share);
    EXPECT_LE(seen, 1000 * share * 1.125 + 1);
  }
  EXPECT_EQ(waits.at_share(1), 1000U);
}

TEST(wait_times, HoldWhatIsBeyondAllAndAddUp) {
  wait_times some, others;
  some.add(-5);
  others.add(std::int64_t{1} << 50);
  some.add(others);
  EXPECT_EQ(some.count(), 2U);
  EXPECT_EQ(some.at_share(0.5), 0U);
  EXPECT_EQ(some.longest_ns(), std::uint64_t{1} << 50);
  EXPECT_GE(some.at_share(1), (std::uint64_t{1} << 40) - 1);
}

}  // namespace
}  // namespace syncmeter::ops
