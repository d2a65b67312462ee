// The policy quiet: as close where nothing is busy, else together and off the busy PUs.
#include <stdexcept>

#include <gmock/gmock.h>

#include "core/machine/topology.hpp"

namespace syncmeter::quiet_placement_test {
namespace {

using pus = std::vector<int>;

topology machine_with(const std::string& description, busy_shares busy) {
  topology machine = topology::synthetic(description);
  machine.avoid(std::move(busy));
  return machine;
}

pus placed(const std::string& description, const busy_shares& busy, unsigned lanes) {
  return machine_with(description, busy).place(affinity::quiet, lanes);
}

TEST(quiet_placement, is_close_where_nothing_is_busy) {
  for (const char* description :
       {"package:2 l3:2 core:4 pu:2", "pu:2", "package:1 core:3 pu:1", "numa:2 core:2 pu:2"}) {
    const topology machine = machine_with(description, {{0, 0.04}});
    for (unsigned lanes = 1; lanes <= machine.units().size(); ++lanes)
      EXPECT_EQ(machine.place(affinity::quiet, lanes), machine.place(affinity::close, lanes))
          << description << ", " << lanes;
  }
}

TEST(quiet_placement, is_close_where_nobody_looked) {
  const topology machine = topology::synthetic("package:1 core:4 pu:1");
  EXPECT_EQ(machine.place(affinity::quiet, 2), pus({0, 1}));
}

TEST(quiet_placement, a_lane_goes_to_the_pu_that_others_left_alone) {
  EXPECT_EQ(placed("package:1 core:2 pu:1", {{0, 0.9}}, 1), pus({1}));
  EXPECT_EQ(placed("package:1 core:4 pu:1", {{0, 0.9}, {1, 0.3}, {3, 0.2}}, 2), pus({2, 3}));
}

TEST(quiet_placement, with_a_lane_for_each_pu_it_is_close) {
  EXPECT_EQ(placed("package:1 core:2 pu:2", {{0, 0.9}, {3, 0.5}}, 4), pus({0, 2, 1, 3}));
}

TEST(quiet_placement, lanes_stay_under_one_cache_though_quiet_pus_are_elsewhere) {
  // L3s of cores 0-3 and 4-7: the second one has less to do in all.
  const busy_shares busy{{0, 0.9}, {1, 0.9}, {5, 0.4}};
  EXPECT_EQ(placed("package:1 l3:2 core:4 pu:1", busy, 3), pus({4, 6, 7}));
  EXPECT_EQ(placed("package:1 l3:2 core:4 pu:1", busy, 4), pus({4, 5, 6, 7}));
  EXPECT_EQ(placed("package:1 l3:2 core:4 pu:1", busy, 6), pus({2, 3, 4, 5, 6, 7}));
}

TEST(quiet_placement, the_quieter_package_comes_first) {
  const busy_shares busy{{0, 0.5}, {1, 0.5}, {6, 0.2}};
  EXPECT_EQ(placed("package:2 core:4 pu:1", busy, 2), pus({4, 5}));
}

TEST(quiet_placement, of_a_core_the_quieter_thread_is_used_and_no_core_twice) {
  const busy_shares busy{{0, 0.9}, {1, 0.3}};
  EXPECT_EQ(placed("package:1 core:2 pu:2", busy, 1), pus({2}));
  EXPECT_EQ(placed("package:1 core:2 pu:2", busy, 2), pus({2, 1}));
}

TEST(quiet_placement, more_lanes_than_pus_are_refused) {
  EXPECT_THROW((void)placed("package:1 core:2 pu:1", {{0, 1.0}}, 3), std::invalid_argument);
}

}  // namespace
}  // namespace syncmeter::quiet_placement_test
