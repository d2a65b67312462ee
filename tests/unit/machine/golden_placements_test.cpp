// Every policy at every number of lanes on the machines of tests/data/topologies, against the
// placements kept beside them: NAME.placements has a line "policy lanes: PUs" for each.
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "core/machine/topology.hpp"

namespace syncmeter::golden_placements_test {
namespace {

std::filesystem::path data_file(const std::string& name) {
  return std::filesystem::path(__FILE__).parent_path().parent_path().parent_path() / "data" /
         "topologies" / name;
}

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

}  // namespace
}  // namespace syncmeter::golden_placements_test
