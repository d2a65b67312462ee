// What is said of each lane's place, and of lanes together.
#include "driver/plan/pinned_lanes.hpp"

#include <filesystem>

#include <gmock/gmock.h>

#include "tests/unit/plan_fixtures.hpp"

namespace syncmeter::lane_places_test {
namespace {

using namespace fixtures;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

topology file(const std::string& name) {
  const auto tests = std::filesystem::path(__FILE__).parent_path().parent_path().parent_path();
  return topology::from_xml((tests / "data" / "topologies" / name).string());
}

TEST(lane_table, names_kind_and_siblings_with_their_lanes) {
  const auto machine = file("hybrid.xml");
  EXPECT_EQ(lane_table(machine, machine.place(affinity::smt, 5)),
            "  thread  CPU  core  L2  L3  NUMA node  package  kind       SMT siblings\n"
            "       0  P#4     4   1   0          0        0  IntelCore  P#5 (thread 1)\n"
            "       1  P#5     4   1   0          0        0  IntelCore  P#4 (thread 0)\n"
            "       2  P#6     5   2   0          0        0  IntelCore  P#7 (thread 3)\n"
            "       3  P#7     5   2   0          0        0  IntelCore  P#6 (thread 2)\n"
            "       4  P#0     0   0   0          0        0  IntelAtom\n");
}

// P#0 is not allowed: nothing of this process can disturb P#1 from there.
TEST(lane_table, a_sibling_that_may_not_be_used_is_none) {
  const auto machine = file("cpuset-hole.xml");
  const std::vector<int> pus{1, 2};
  EXPECT_EQ(lane_table(machine, pus), "  thread  CPU  core  L3  NUMA node  package  SMT siblings\n"
                                      "       0  P#1     0   0          0        0\n"
                                      "       1  P#2     1   0          0        0  P#3\n");
}

TEST(lane_table, lanes_that_are_not_bound_have_no_place) {
  const auto machine = topology::synthetic("core:2 pu:1");
  EXPECT_THAT(lane_table(machine, std::vector{-1}), HasSubstr("0  not bound\n"));
}

TEST(lane_note, says_nothing_of_lanes_that_are_alike_and_apart) {
  const auto machine = file("two-packages.xml");
  EXPECT_EQ(lane_note(machine, machine.place(affinity::close, 4)), "");
  EXPECT_EQ(lane_note(machine, std::vector{-1, -1}), "");
}

TEST(lane_note, names_kinds_and_shared_cores) {
  const auto machine = file("hybrid.xml");
  EXPECT_EQ(lane_note(machine, machine.place(affinity::close, 8)),
            "threads 0-1,6-7 on IntelCore, 2-5 on IntelAtom; threads that share a core: 0+6, 1+7");
}

TEST(lane_note, is_cut_where_nobody_would_read_on) {
  const auto machine = topology::synthetic("package:1 core:10 pu:2");
  EXPECT_THAT(lane_note(machine, machine.place(affinity::smt, 20)),
              HasSubstr("14+15 and 2 cores more"));
}

TEST(placement_notes, are_of_each_policys_largest_team) {
  const auto machine = topology::synthetic("package:2 core:2 pu:2");
  run_options options = with_ops({"atomic_add"});
  options.affinities = {affinity::close, affinity::smt, affinity::none};
  options.lanes = {{.first = 2, .last = 2}, {.first = 5, .last = 5}};
  const campaign_plan plan = make_plan(options, {omp_worker()}, machine, all_of(machine));
  EXPECT_THAT(placement_notes(plan, machine),
              ElementsAre("close, up to 5 threads: threads that share a core: 0+4",
                          "smt, up to 5 threads: threads that share a core: 0+1, 2+3"));
  options.lanes = {{.first = 1, .last = 1}};
  EXPECT_THAT(
      placement_notes(make_plan(options, {omp_worker()}, machine, all_of(machine)), machine),
      IsEmpty());
}

}  // namespace
}  // namespace syncmeter::lane_places_test
