// Golden placements of every policy on machines of many shapes.
#include <algorithm>
#include <filesystem>
#include <set>
#include <stdexcept>

#include <gmock/gmock.h>

#include "core/machine/topology.hpp"

namespace syncmeter::placement_test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

std::string data_file(const std::string& name) {
  const auto tests = std::filesystem::path(__FILE__).parent_path().parent_path().parent_path();
  return (tests / "data" / "topologies" / name).string();
}

std::vector<int> place_all(const topology& machine, affinity policy) {
  return machine.place(policy, static_cast<unsigned>(machine.units().size()));
}

TEST(placement, two_packages_with_smt) {
  const auto machine = topology::synthetic("package:2 core:4 pu:2");
  EXPECT_THAT(place_all(machine, affinity::close),
              ElementsAre(0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15));
  EXPECT_THAT(place_all(machine, affinity::spread),
              ElementsAre(0, 8, 2, 10, 4, 12, 6, 14, 1, 9, 3, 11, 5, 13, 7, 15));
  EXPECT_THAT(place_all(machine, affinity::smt),
              ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
}

// The PU numbers of most two-package servers: first threads of all cores, package by package, then
// second ones.
TEST(placement, follows_the_machine_not_the_numbers) {
  const auto machine = topology::synthetic("package:2 core:2 pu:2(indexes=0,4,1,5,2,6,3,7)");
  EXPECT_THAT(place_all(machine, affinity::close), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(place_all(machine, affinity::spread), ElementsAre(0, 2, 1, 3, 4, 6, 5, 7));
  EXPECT_THAT(place_all(machine, affinity::smt), ElementsAre(0, 4, 1, 5, 2, 6, 3, 7));
}

TEST(placement, several_l3_in_a_package) {
  const auto machine = topology::synthetic("package:2 l3:2 core:2 pu:1");
  EXPECT_THAT(place_all(machine, affinity::close), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(place_all(machine, affinity::spread), ElementsAre(0, 4, 2, 6, 1, 5, 3, 7));
}

TEST(placement, spread_goes_to_another_numa_node_before_another_l3) {
  const auto machine = topology::synthetic("package:1 numa:2 l3:2 l2:2 core:2 pu:1");
  EXPECT_THAT(place_all(machine, affinity::spread),
              ElementsAre(0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15));
}

// Package 1 holds one L3 only: its second core is nearer to what is placed than package 0's other
// L3s.
TEST(placement, spread_prefers_distance_to_an_even_load) {
  std::vector<processing_unit> units;
  for (int os = 0; os < 8; ++os) {
    const bool second = os >= 6;
    units.push_back({.os = os,
                     .core = os,
                     .package = second,
                     .numa = second,
                     .l2 = os,
                     .l3 = second ? 3 : os / 2});
  }
  EXPECT_THAT(place_on(units, affinity::spread, 8), ElementsAre(0, 6, 2, 4, 7, 1, 3, 5));
}

TEST(placement, spread_fills_four_hardware_threads_evenly) {
  const auto machine = topology::synthetic("package:1 core:2 pu:4");
  EXPECT_THAT(place_all(machine, affinity::spread), ElementsAre(0, 4, 1, 5, 2, 6, 3, 7));
  EXPECT_THAT(place_all(machine, affinity::close), ElementsAre(0, 4, 1, 5, 2, 6, 3, 7));
}

// A second thread on every core comes before a third on any, even where that leaves a package
// emptier.
TEST(placement, spread_gives_no_core_a_third_lane_before_all_have_two) {
  std::vector<processing_unit> units;
  for (int os = 0; os < 8; ++os) {
    const int core = os < 4 ? os / 2 : 2;
    units.push_back({.os = os, .core = core, .package = core / 2, .numa = core / 2, .l2 = core});
  }
  EXPECT_THAT(place_on(units, affinity::spread, 8), ElementsAre(0, 4, 2, 5, 1, 3, 6, 7));
}

TEST(placement, a_machine_of_one_pu) {
  const auto machine = topology::synthetic("package:1 core:1 pu:1");
  for (const affinity policy : {affinity::close, affinity::spread, affinity::smt}) {
    EXPECT_THAT(machine.place(policy, 1), ElementsAre(0)) << to_text(policy);
    EXPECT_THAT(machine.place(policy, 0), ElementsAre()) << to_text(policy);
  }
}

TEST(placement, pus_without_caches_and_cores_are_cores_of_their_own) {
  const auto machine = topology::synthetic("package:2 pu:2");
  EXPECT_THAT(place_all(machine, affinity::close), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(place_all(machine, affinity::spread), ElementsAre(0, 2, 1, 3));
  EXPECT_THAT(place_all(machine, affinity::smt), ElementsAre(0, 1, 2, 3));
  const std::vector<processing_unit> mixed{
      {.os = 0, .core = 0}, {.os = 1, .core = 0}, {.os = 2, .core = -1}, {.os = 3, .core = -1}};
  EXPECT_THAT(place_on(mixed, affinity::close, 4), ElementsAre(0, 2, 3, 1));
}

TEST(placement, cores_without_an_l3_beside_cores_with_one) {
  // Two cores under one L3, then two efficient ones that have none and share an L2.
  const std::vector<processing_unit> units{
      {.os = 0, .core = 0, .package = 0, .numa = 0, .l2 = 0, .l3 = 0},
      {.os = 1, .core = 1, .package = 0, .numa = 0, .l2 = 1, .l3 = 0},
      {.os = 2, .core = 2, .package = 0, .numa = 0, .l2 = 2, .l3 = -1},
      {.os = 3, .core = 3, .package = 0, .numa = 0, .l2 = 2, .l3 = -1}};
  EXPECT_THAT(place_on(units, affinity::close, 4), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(place_on(units, affinity::spread, 4), ElementsAre(0, 2, 1, 3));
}

// The less performant cores come first in logical order, and must not come first in a placement.
TEST(placement, hybrid_parts_give_the_performant_kind_first) {
  const auto machine = topology::from_xml(data_file("hybrid.xml"));
  EXPECT_THAT(place_all(machine, affinity::close), ElementsAre(4, 6, 0, 1, 2, 3, 5, 7));
  EXPECT_THAT(place_all(machine, affinity::spread), ElementsAre(4, 6, 0, 1, 2, 3, 5, 7));
  EXPECT_THAT(place_all(machine, affinity::smt), ElementsAre(4, 5, 6, 7, 0, 1, 2, 3));
}

// Core 0 has lost its first hardware thread: its second one counts as first.
TEST(placement, a_hole_in_the_cpuset) {
  const auto machine = topology::from_xml(data_file("cpuset-hole.xml"));
  EXPECT_THAT(place_all(machine, affinity::close), ElementsAre(1, 2, 8, 10, 3, 9, 11));
  EXPECT_THAT(place_all(machine, affinity::spread), ElementsAre(1, 8, 2, 10, 3, 9, 11));
  EXPECT_THAT(place_all(machine, affinity::smt), ElementsAre(2, 3, 8, 9, 10, 11, 1));
}

TEST(placement, none_binds_nothing) {
  const auto machine = topology::synthetic("package:1 core:2 pu:2");
  EXPECT_THAT(machine.place(affinity::none, 3), ElementsAre(-1, -1, -1));
}

TEST(placement, more_lanes_than_pus_are_refused_with_both_numbers) {
  const auto machine = topology::synthetic("package:1 core:3 pu:2");
  for (const auto& [policy, name] : affinity_names) {
    try {
      (void)machine.place(policy, 7);
      ADD_FAILURE() << name << " placed 7 lanes on 6 PUs";
    } catch (const std::invalid_argument& refused) {
      EXPECT_THAT(refused.what(), AllOf(HasSubstr("7 lanes"), HasSubstr("6 PUs"))) << name;
    }
  }
}

TEST(placement, fewer_lanes_sit_where_more_lanes_begin) {
  for (const char* const shape : {"package:2 core:4 pu:2", "package:2 numa:2 l3:2 core:3 pu:2",
                                  "package:3 l2:5 core:2 pu:1"}) {
    const auto machine = topology::synthetic(shape);
    for (const affinity policy : {affinity::close, affinity::spread, affinity::smt}) {
      const std::vector<int> all = place_all(machine, policy);
      EXPECT_EQ(std::set<int>(all.begin(), all.end()).size(), machine.units().size());
      for (unsigned lanes = 0; lanes < all.size(); ++lanes) {
        EXPECT_EQ(machine.place(policy, lanes), std::vector<int>(all.begin(), all.begin() + lanes))
            << shape << ' ' << to_text(policy);
      }
    }
  }
}

}  // namespace
}  // namespace syncmeter::placement_test
