// Pairs of PUs: what they share on machines of every shape, the sample of a large one, and whose PU
// is home.
#include "core/machine/topology.hpp"

#include <filesystem>
#include <map>
#include <set>
#include <string>

#include <gmock/gmock.h>

namespace syncmeter::pu_pairs_test {
namespace {

using testing::SizeIs;

using counts_by_class = std::map<std::string, std::size_t>;

counts_by_class classes_of(const topology& machine) {
  counts_by_class counts;
  for (const pu_pair& pair : pairs_of(machine.units())) ++counts[std::string(to_text(pair.shared))];
  return counts;
}

topology file(const std::string& name) {
  const auto tests = std::filesystem::path(__FILE__).parent_path().parent_path().parent_path();
  return topology::from_xml((tests / "data" / "topologies" / name).string());
}

TEST(pu_pairs, are_classed_by_the_nearest_thing_that_they_share) {
  for (const auto& [description, classes] : {
           std::pair{"package:2 l3:1 l2:2 core:1 pu:2",
                     counts_by_class{{"same core", 4}, {"same L3", 8}, {"other package", 16}}},
           {"package:1 l3:4 l2:2 core:1 pu:1", {{"same L3", 4}, {"same NUMA node", 24}}},
           {"package:1 l3:1 l2:2 core:2 pu:1", {{"same L2", 2}, {"same L3", 4}}},
           {"package:1 numa:2 l3:1 core:2 pu:1", {{"same L3", 2}, {"same package", 4}}},
           // hwloc's -1 for "no such cache" is not a cache that they share.
           {"package:2 core:2 pu:1", {{"same NUMA node", 2}, {"other package", 4}}},
           // All that hwloc has where nothing discovers the machine; its one NUMA node is made up.
           {"pu:3", {{"not known", 3}}},
       })
    EXPECT_EQ(classes_of(topology::synthetic(description)), classes) << description;
  EXPECT_EQ(classes_of(file("hybrid.xml")),
            (counts_by_class{{"same core", 2}, {"same L2", 6}, {"same L3", 20}}));
  processing_unit a, b;
  a.os = 0, b.os = 1;
  a.package = b.package = 0;
  EXPECT_EQ(shared_by(a, b), sharing::package);
}

TEST(pu_pairs, kinds_of_core_make_classes_of_their_own) {
  const auto machine = file("hybrid.xml");
  std::map<std::string, std::size_t> counts;
  const auto units = machine.units();
  for (std::size_t a = 0; a < units.size(); ++a) {
    for (std::size_t b = a + 1; b < units.size(); ++b)
      ++counts[to_text(class_of(units[a], units[b]), true)];
  }
  EXPECT_EQ(counts, (counts_by_class{{"same core, kind 1", 2},
                                     {"same L2, kind 0", 6},
                                     {"same L3, kind 1", 4},
                                     {"same L3, kinds 0 and 1", 16}}));
  EXPECT_EQ(class_of(units[0], units[7]), class_of(units[7], units[0]));
  EXPECT_EQ(to_text(class_of(units[0], units[7]), false), "same L3");
}

// P#1 has lost its sibling: it is in no pair of one core.
TEST(pu_pairs, a_hole_in_the_cpuset) {
  const auto machine = file("cpuset-hole.xml");
  EXPECT_EQ(classes_of(machine),
            (counts_by_class{{"same core", 3}, {"same L3", 6}, {"other package", 12}}));
  for (const pu_pair& pair : pairs_of(machine.units())) {
    if (pair.shared != sharing::core) continue;
    EXPECT_TRUE(pair.first != 1 && pair.second != 1);
  }
}

TEST(pu_pairs, all_pairs_up_to_128_pus_each_once) {
  const auto machine = topology::synthetic("package:2 l3:8 core:8 pu:1");
  const auto pairs = pairs_of(machine.units());
  EXPECT_THAT(pairs, SizeIs(128 * 127 / 2));
  std::set<std::pair<int, int>> seen;
  for (const pu_pair& p : pairs) seen.insert(std::minmax(p.first, p.second));
  EXPECT_THAT(seen, SizeIs(pairs.size()));
  const auto one = topology::synthetic("core:1 pu:1");
  EXPECT_THAT(pairs_of(one.units()), SizeIs(0));
}

TEST(pu_pairs, a_sample_of_each_class_above_128_pus) {
  const auto machine = topology::synthetic("package:2 numa:2 l3:2 l2:4 core:4 pu:2");
  ASSERT_EQ(machine.units().size(), 256U);
  EXPECT_EQ(classes_of(machine), (counts_by_class{{"same core", 20},
                                                  {"same L2", 20},
                                                  {"same L3", 20},
                                                  {"same NUMA node", 20},
                                                  {"same package", 20},
                                                  {"other package", 20}}));
  // Of one class the whole machine is seen, not its first cores.
  std::set<int> packages, l3s;
  for (const pu_pair& p : pairs_of(machine.units())) {
    if (p.shared != sharing::core) continue;
    packages.insert(machine.units()[static_cast<std::size_t>(p.first)].package);
    l3s.insert(machine.units()[static_cast<std::size_t>(p.first)].l3);
  }
  EXPECT_THAT(packages, SizeIs(2));
  EXPECT_THAT(l3s, SizeIs(8));
  EXPECT_EQ(classes_of(topology::synthetic("package:66 core:1 pu:2")),
            (counts_by_class{{"same core", 20}, {"other package", 20}}));
  EXPECT_EQ(classes_of(topology::synthetic("package:10 core:13 pu:1")).at("same NUMA node"), 20U);
}

TEST(home_pu, is_a_lanes_own_or_as_far_as_can_be) {
  const auto machine = topology::synthetic("package:2 numa:2 core:2 pu:1");
  const std::vector<int> pus{3, 0};
  EXPECT_EQ(home_pu(machine.units(), home::none, pus), std::nullopt);
  EXPECT_EQ(home_pu(machine.units(), home::first, pus), 3);
  EXPECT_EQ(home_pu(machine.units(), home::second, pus), 0);
  EXPECT_EQ(home_pu(machine.units(), home::other, pus), 4) << "another node and another package";
  EXPECT_EQ(home_pu(machine.units(), home::other, std::vector{0, 4}), 2)
      << "a node of its own, beside each";
}

TEST(home_pu, needs_a_bound_lane_or_a_third_pu) {
  const auto machine = topology::synthetic("core:2 pu:1");
  EXPECT_EQ(home_pu(machine.units(), home::other, std::vector{0, 1}), std::nullopt);
  EXPECT_EQ(home_pu(machine.units(), home::first, std::vector{-1, -1}), std::nullopt);
  EXPECT_EQ(home_pu(machine.units(), home::second, std::vector{0}), std::nullopt);
}

}  // namespace
}  // namespace syncmeter::pu_pairs_test
