// Which PUs others use: found by probing, kept in the campaign line.
#include "driver/plan/placement_states.hpp"

#include <atomic>
#include <latch>
#include <thread>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace syncmeter::busy_probe_test {
namespace {

TEST(busy_probe, finds_the_pu_that_a_thread_spins_on) {
  const topology machine = topology::of_this_machine();
  if (const auto why = why_not_bound(machine)) GTEST_SKIP() << *why;
  const int pu = machine.units().back().os;
  std::latch spins(1);
  const std::jthread spinner([&](const std::stop_token& stop) {
    (void)bind_this_thread(machine, pu);
    spins.count_down();
    for (std::atomic<unsigned> n = 0; !stop.stop_requested();) ++n;
  });
  spins.wait();
  // Half of the time is the spinner's, whatever else runs here.
  const busy_shares busy = probe_busy_shares(machine, 64);
  ASSERT_TRUE(busy.contains(pu));
  EXPECT_GT(busy.at(pu), 0.1);
  for (const auto& [os, share] : busy) {
    EXPECT_TRUE(machine.has_pu(os));
    EXPECT_LE(share, 1);
  }
}

TEST(busy_probe, keeps_shares_in_the_campaign_line) {
  const busy_shares busy{{3, 0.97}, {12, 0.05}};
  EXPECT_EQ(busy_in({{"busy_pus", busy_json(busy)}}), busy);
  EXPECT_EQ(busy_json({}), nlohmann::json::array());
}

TEST(busy_probe, takes_a_line_without_them_as_nothing_busy) {
  EXPECT_TRUE(busy_in(nlohmann::json::object()).empty());
  EXPECT_TRUE(busy_in({{"busy_pus", {1, {{"pu", 2}}}}}).empty());
}

}  // namespace
}  // namespace syncmeter::busy_probe_test
