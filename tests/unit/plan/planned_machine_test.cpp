// Whether a machine of a file is this one, and what is planned on it.
#include "driver/plan/pinned_lanes.hpp"

#include <filesystem>

#include <gmock/gmock.h>

#include "tests/unit/plan_fixtures.hpp"

namespace syncmeter::planned_machine_test {
namespace {

using namespace fixtures;
using testing::AllOf;
using testing::Each;
using testing::HasSubstr;

std::string data_file(const std::string& name) {
  const auto tests = std::filesystem::path(__FILE__).parent_path().parent_path().parent_path();
  return (tests / "data" / "topologies" / name).string();
}

template <class Call> std::string refusal(const Call& call) {
  try {
    (void)call();
  } catch (const usage_error& refused) {
    return refused.what();
  }
  return "not refused";
}

TEST(topology_mismatch, names_the_pus_that_differ) {
  const auto two = topology::synthetic("core:2 pu:1"), four = topology::synthetic("core:4 pu:1");
  EXPECT_EQ(topology_mismatch(two, two), "");
  EXPECT_EQ(topology_mismatch(four, two), "it has CPUs 2-3, which this machine does not have");
  EXPECT_EQ(topology_mismatch(two, four), "it lacks CPUs 2-3, which this process may use");
  const auto other = topology::synthetic("core:2 pu:1(indexes=0,7)");
  EXPECT_EQ(topology_mismatch(other, two), "it has CPU 7, which this machine does not have, and it "
                                           "lacks CPU 1, which this process may use");
}

// lstopo leaves out what a cgroup does not allow.
TEST(topology_mismatch, a_file_of_the_allowed_pus_alone_fits) {
  const auto allowed = topology::synthetic("core:7 pu:1(indexes=1,2,3,8,9,10,11)");
  EXPECT_EQ(topology_mismatch(allowed, topology::from_xml(data_file("cpuset-hole.xml"))), "");
}

TEST(machine_for, a_dry_run_is_planned_on_the_file) {
  run_options options;
  options.dry_run = true;
  options.topology = data_file("hybrid.xml");
  const planned_machine planned = machine_for(options);
  EXPECT_EQ(planned.machine.units().size(), 8U);
  EXPECT_EQ(max_lanes(planned.machine, planned.grant), 8U) << "no quota of this machine applies";
}

TEST(machine_for, refuses_what_it_cannot_read_and_what_is_not_this_machine) {
  run_options options;
  options.topology = "none.xml";
  EXPECT_THAT(refusal([&] { return machine_for(options); }),
              AllOf(HasSubstr("--topology"), HasSubstr("'none.xml'"), HasSubstr("No such file")));
  const topology here = topology::of_this_machine();
  const topology hole = topology::from_xml(data_file("cpuset-hole.xml"));
  if (topology_mismatch(hole, here).empty()) GTEST_SKIP() << "this machine has 12 CPUs too";
  options.topology = data_file("cpuset-hole.xml");
  EXPECT_THAT(refusal([&] { return machine_for(options); }),
              AllOf(HasSubstr("does not fit this machine"), HasSubstr("--dry-run")));
}

// Lanes that cannot be bound: what needs them bound is refused, the rest is measured unbound.
class unbound : public testing::Test {
 protected:
  campaign_plan plan(const run_options& options) const {
    cpu_grant grant = all_of(machine_);
    grant.unbound_because = "Operation not permitted";
    return make_plan(options, {omp_worker()}, machine_, grant);
  }
  topology machine_ = topology::synthetic("package:1 core:2 pu:2");
};

TEST_F(unbound, a_study_of_placements_leaves_lanes_to_the_system) {
  const campaign_plan made = plan(with_ops({"atomic_add"}, "scaling"));
  ASSERT_FALSE(made.points.empty());
  for (const planned_point& p : made.points) {
    EXPECT_EQ(p.what.affinity, affinity::none);
    EXPECT_THAT(p.pus, Each(-1));
  }
}

TEST_F(unbound, a_policy_that_the_user_names_is_unsupported) {
  run_options options = with_ops({"atomic_add"});
  options.affinities = {affinity::close, affinity::none};
  const campaign_plan made = plan(options);
  EXPECT_FALSE(made.points.empty());
  ASSERT_FALSE(made.refused.empty());
  for (const refused_point& r : made.refused)
    EXPECT_EQ(r.reason, "threads cannot be bound here: Operation not permitted");
}

TEST_F(unbound, named_pus_and_pairs_are_refused) {
  run_options named = with_ops({"atomic_add"});
  named.pus = {0, 1};
  EXPECT_THAT(refusal([&] { return plan(named); }),
              AllOf(HasSubstr("--cpus"), HasSubstr("Operation not permitted")));
  run_options pairs;
  pairs.study = "core-to-core";
  EXPECT_THAT(refusal([&] { return plan(pairs); }),
              AllOf(HasSubstr("'core-to-core'"), HasSubstr("cannot be bound here")));
}

}  // namespace
}  // namespace syncmeter::planned_machine_test
