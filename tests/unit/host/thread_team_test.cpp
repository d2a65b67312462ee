// The team of threads: every lane of a region once, threads that outlive regions, and what a
// lane throws.
#include "core/host/teams.hpp"

#include <atomic>
#include <chrono>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

namespace syncmeter {
namespace {

using testing::Each;
using testing::SizeIs;
using ids = std::vector<std::thread::id>;

class team_test : public testing::TestWithParam<wait_policy> {
 protected:
  /// Which thread each lane ran on.
  ids threads_of(unsigned lanes) {
    ids seen(lanes);
    EXPECT_TRUE(
        team_.run(lanes, [&](unsigned lane) { seen.at(lane) = std::this_thread::get_id(); }));
    return seen;
  }

  thread_team team_{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(waiting, team_test,
                         testing::Values(wait_policy::active, wait_policy::passive),
                         [](const auto& policy) { return std::string{to_text(policy.param)}; });

TEST_P(team_test, a_region_runs_once_on_every_lane) {
  constexpr unsigned lanes = 4;
  constexpr int regions = 300;
  std::vector<int> runs(lanes);
  for (int i = 0; i < regions; ++i) {
    ASSERT_TRUE(team_.run(lanes, [&](unsigned lane) { ++runs.at(lane); }));
    // Lane 0 goes on only when all have ended.
    ASSERT_THAT(runs, Each(i + 1));
  }
}

TEST_P(team_test, lanes_run_at_once_on_threads_of_their_own_and_lane_0_on_the_caller) {
  constexpr unsigned lanes = 3;
  std::atomic<unsigned> arrived{0};
  std::vector<std::thread::id> seen(lanes);
  ASSERT_TRUE(team_.run(lanes, [&](unsigned lane) {
    seen.at(lane) = std::this_thread::get_id();
    ++arrived;
    while (arrived != lanes) std::this_thread::yield();
  }));
  EXPECT_EQ(seen[0], std::this_thread::get_id());
  EXPECT_THAT(std::set(seen.begin(), seen.end()), SizeIs(lanes));
}

TEST_P(team_test, threads_are_started_once_for_each_number_of_lanes) {
  const ids first = threads_of(3);
  EXPECT_EQ(threads_of(3), first);
  EXPECT_EQ(threads_of(3), first);
}

TEST_P(team_test, another_number_of_lanes_is_another_team) {
  for (const unsigned lanes : {2U, 5U, 1U, 3U, 1U, 1U, 2U}) {
    const ids seen = threads_of(lanes);
    EXPECT_EQ(seen[0], std::this_thread::get_id());
    EXPECT_THAT(std::set(seen.begin(), seen.end()), SizeIs(lanes));
  }
}

TEST_P(team_test, what_is_released_starts_again) {
  EXPECT_THAT(threads_of(2), SizeIs(2));
  team_.release();
  team_.release();
  EXPECT_NE(threads_of(2)[1], std::thread::id{});
}

TEST_P(team_test, threads_that_went_to_sleep_wake_up) {
  EXPECT_THAT(threads_of(2), SizeIs(2));
  std::this_thread::sleep_for(std::chrono::milliseconds{20});
  EXPECT_NE(threads_of(2)[1], std::thread::id{});
}

TEST_P(team_test, what_a_lane_throws_comes_out_when_all_lanes_have_ended) {
  for (const unsigned thrower : {0U, 2U}) {
    std::atomic<unsigned> ended{0};
    const auto region = [&](unsigned lane) {
      if (lane == thrower) throw std::runtime_error("planted");
      ++ended;
    };
    EXPECT_THROW((void)team_.run(3, region), std::runtime_error);
    EXPECT_EQ(ended, 2U);
    // The team is whole again, and the exception is not thrown twice.
    EXPECT_THAT(threads_of(3), SizeIs(3));
  }
}

TEST_P(team_test, of_several_exceptions_the_lowest_lanes_is_thrown) {
  const auto region = [](unsigned lane) { throw std::runtime_error(std::to_string(lane)); };
  try {
    (void)team_.run(3, region);
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "0");
  }
  EXPECT_THAT(threads_of(3), SizeIs(3));
}

}  // namespace
}  // namespace syncmeter
