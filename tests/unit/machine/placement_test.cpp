// Placements of every policy on machines of many shapes.
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include "core/machine/topology.hpp"

namespace syncmeter::placement_test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

using pus = std::vector<int>;

std::string data_file(const std::string& name) {
  const auto tests = std::filesystem::path(__FILE__).parent_path().parent_path().parent_path();
  return (tests / "data" / "topologies" / name).string();
}

std::vector<int> place_all(const topology& machine, affinity policy) {
  return machine.place(policy, static_cast<unsigned>(machine.units().size()));
}

TEST(placement, of_all_pus_by_each_policy) {
  struct row {
    const char* machine;
    pus close, spread, smt;  // empty where it is not looked at
  };
  for (const auto& [description, close, spread, smt] : {
           row{"package:2 core:4 pu:2",
               {0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15},
               {0, 8, 2, 10, 4, 12, 6, 14, 1, 9, 3, 11, 5, 13, 7, 15},
               {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}},
           // The PU numbers of most two-package servers: first threads of all cores, package by
           // package, then second ones.
           row{"package:2 core:2 pu:2(indexes=0,4,1,5,2,6,3,7)",
               {0, 1, 2, 3, 4, 5, 6, 7},
               {0, 2, 1, 3, 4, 6, 5, 7},
               {0, 4, 1, 5, 2, 6, 3, 7}},
           row{"package:2 l3:2 core:2 pu:1",
               {0, 1, 2, 3, 4, 5, 6, 7},
               {0, 4, 2, 6, 1, 5, 3, 7},
               {}},
           // To another NUMA node before another L3.
           row{"package:1 numa:2 l3:2 l2:2 core:2 pu:1",
               {},
               {0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15},
               {}},
           // Four hardware threads of a core are filled evenly.
           row{"package:1 core:2 pu:4", {0, 4, 1, 5, 2, 6, 3, 7}, {0, 4, 1, 5, 2, 6, 3, 7}, {}},
           // PUs without caches and cores are cores of their own.
           row{"package:2 pu:2", {0, 1, 2, 3}, {0, 2, 1, 3}, {0, 1, 2, 3}},
       }) {
    const auto machine = topology::synthetic(description);
    for (const auto& [policy, expected] :
         {std::pair{affinity::close, close}, {affinity::spread, spread}, {affinity::smt, smt}}) {
      if (!expected.empty()) {
        EXPECT_EQ(place_all(machine, policy), expected) << description << ' ' << to_text(policy);
      }
    }
  }
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

TEST(placement, pus_without_a_core_beside_a_core) {
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

TEST(placement, none_binds_nothing) {
  const auto machine = topology::synthetic("package:1 core:2 pu:2");
  EXPECT_THAT(machine.place(affinity::none, 3), ElementsAre(-1, -1, -1));
}

TEST(placement, more_lanes_than_pus_are_refused_with_both_numbers) {
  const auto machine = topology::synthetic("package:1 core:3 pu:2");
  for (const std::string_view name : names_of(affinity{})) {
    try {
      (void)machine.place(from_text<affinity>(name).value(), 7);
      ADD_FAILURE() << name << " placed 7 lanes on 6 PUs";
    } catch (const std::invalid_argument& refused) {
      EXPECT_THAT(refused.what(), AllOf(HasSubstr("7 threads"), HasSubstr("6 CPUs"))) << name;
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

// Every policy at every number of lanes on the machines of tests/data/topologies, against the
// placements kept beside them: NAME.placements has a line "policy lanes: PUs" for each. A hybrid
// one has its less performant cores first in logical order, and one has a hole in its cpuset.
std::string all_placements(const topology& machine) {
  std::string text;
  for (const affinity policy : {affinity::close, affinity::spread, affinity::smt}) {
    for (unsigned lanes = 1; lanes <= machine.units().size(); ++lanes) {
      text += fmt::format("{} {}: {}\n", to_text(policy), lanes,
                          fmt::join(machine.place(policy, lanes), " "));
    }
  }
  return text;
}

class golden_placements : public testing::TestWithParam<const char*> {};

TEST_P(golden_placements, of_every_policy_and_number_of_lanes) {
  std::ifstream file(data_file(std::string(GetParam()) + ".placements"));
  std::ostringstream kept;
  kept << file.rdbuf();
  EXPECT_EQ(all_placements(topology::from_xml(data_file(std::string(GetParam()) + ".xml"))),
            kept.str());
}

INSTANTIATE_TEST_SUITE_P(machines, golden_placements,
                         testing::Values("two-packages", "chiplets", "hybrid", "cpuset-hole"),
                         [](const auto& machine) {
                           std::string name = machine.param;
                           for (char& c : name) {
                             if (c == '-') c = '_';
                           }
                           return name;
                         });

// The policy quiet: as close where nothing is busy, else together and off the busy PUs.
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
}  // namespace syncmeter::placement_test
