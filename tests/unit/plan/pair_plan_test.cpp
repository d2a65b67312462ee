// The study of pairs and --cpus as a plan: which pairs, on which PUs, and what cannot be.
#include "driver/plan/pinned_lanes.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "driver/plan/options.hpp"
#include "driver/text/parse_axes.hpp"
#include "tests/unit/plan_fixtures.hpp"

namespace syncmeter::pair_plan_test {
namespace {

using fixtures::plan_on;
using fixtures::points_of;
using fixtures::with_ops;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

worker_info with_both_handoffs() {
  worker_info worker = fixtures::omp_worker();
  for (capability& row :
       fixtures::rows_of({.op = "handoff_cas", .family = "handoff", .min_lanes = 2}))
    worker.capabilities.push_back(std::move(row));
  return worker;
}

run_options core_to_core() { return parse_run({"--study", "core-to-core"}).options; }

std::string mistake_on(const std::string& machine, const run_options& options) {
  try {
    (void)plan_on(machine, options, {with_both_handoffs()});
  } catch (const usage_error& error) {
    return error.what();
  }
  return "no mistake";
}

std::vector<std::string> placements(const campaign_plan& plan, const std::string& op) {
  std::vector<std::string> all;
  for (const planned_point* p : points_of(plan, op)) {
    EXPECT_EQ(p->pus, p->what.pus) << "the threads go where the configuration says";
    EXPECT_EQ(p->what.affinity, affinity::none);
    all.push_back(fmt::format("{},{}", p->pus.at(0), p->pus.at(1)));
  }
  return all;
}

TEST(pair_plan, every_pair_both_ways_by_load_and_by_cas) {
  const auto plan = plan_on("core:3 pu:1", core_to_core(), {with_both_handoffs()});
  for (const char* op : {"handoff", "handoff_cas"})
    EXPECT_THAT(placements(plan, op), ElementsAre("0,1", "1,0", "0,2", "2,0", "1,2", "2,1"));
  EXPECT_THAT(plan.points, SizeIs(12));
  for (const planned_point& p : plan.points) {
    EXPECT_EQ(p.what.home, home::first);
    EXPECT_EQ(p.visits, 5U);
  }
  EXPECT_EQ(canonical(plan.points[0].what), "backend=omp op=handoff lanes=2 order=unordered "
                                            "affinity=none wait=active home=first pus=0,1");
}

// 16 PUs: 120 pairs, both ways round, two ways of waiting, in 20 s.
TEST(pair_plan, sixteen_pus_take_less_than_20_s) {
  const auto plan = plan_on("package:1 core:16 pu:1", core_to_core(), {with_both_handoffs()});
  EXPECT_THAT(plan.points, SizeIs(480));
  for (const planned_point& p : plan.points) EXPECT_EQ(p.visits, 6U);
  EXPECT_NEAR(plan.predicted_s, 480 * 6 * 0.005 + 6 * 0.3, 1e-9);
  EXPECT_LE(core_to_core().max_time_s * static_cast<double>(plan.points.size()), 20);
  EXPECT_DOUBLE_EQ(core_to_core().precision, 0.02);
  run_options asked = core_to_core();
  asked.visits = 9;
  for (const planned_point& p :
       plan_on("package:1 core:16 pu:1", asked, {with_both_handoffs()}).points)
    EXPECT_EQ(p.visits, 9U);
}

TEST(pair_plan, a_sample_of_a_large_machine) {
  const auto plan = plan_on("package:2 l3:8 core:16 pu:1", core_to_core(), {with_both_handoffs()});
  EXPECT_THAT(points_of(plan, "handoff"), SizeIs(2 * 3 * 20));
}

TEST(pair_plan, named_pus_are_paired_among_themselves) {
  run_options options = core_to_core();
  options.pus = {3, 1};
  const auto plan = plan_on("core:4 pu:1", options, {with_both_handoffs()});
  EXPECT_THAT(placements(plan, "handoff"), ElementsAre("1,3", "3,1"));
}

TEST(pair_plan, a_portable_backend_is_measured_where_it_is_named) {
  worker_info both = with_both_handoffs();
  both.backends.push_back("kokkos-openmp");
  both.native_of["kokkos-openmp"] = "omp";
  for (capability row : with_both_handoffs().capabilities) {
    row.backend = "kokkos-openmp";
    both.capabilities.push_back(row);
  }
  run_options options = core_to_core();
  EXPECT_THAT(plan_on("core:2 pu:1", options, {both}).points, SizeIs(4));
  options.backends = {"kokkos-openmp"};
  const auto plan = plan_on("core:2 pu:1", options, {both});
  EXPECT_THAT(plan.points, SizeIs(4));
  EXPECT_EQ(plan.points[0].what.backend, "kokkos-openmp");
}

TEST(pair_plan, no_pair_is_a_mistake_that_says_so) {
  EXPECT_EQ(mistake_on("core:1 pu:1", core_to_core()),
            "study 'core-to-core' measures pairs of CPUs, but this process may use only CPU 0");
  run_options options = core_to_core();
  options.pus = {1};
  EXPECT_THAT(mistake_on("core:4 pu:1", options), HasSubstr("--cpus names only CPU 1"));
  const topology machine = topology::synthetic("core:4 pu:1");
  cpu_grant one_cpu = fixtures::all_of(machine);
  one_cpu.quota_cpus = 1.5;
  EXPECT_THAT([&] { (void)make_plan(core_to_core(), {with_both_handoffs()}, machine, one_cpu); },
              testing::ThrowsMessage<usage_error>(HasSubstr("the CPU quota allows one thread")));
  options.pus.clear();
  options.oversubscribe = true;
  EXPECT_THAT(make_plan(options, {with_both_handoffs()}, machine, one_cpu).points, SizeIs(24));
}

TEST(pinned_lanes, one_lane_on_each_named_pu_in_their_order) {
  run_options options = with_ops({"atomic_add", "barrier"});
  options.pus = {2, 0, 3};
  const auto plan = plan_on("core:4 pu:1", options);
  for (const planned_point& p : plan.points) {
    EXPECT_THAT(p.pus, ElementsAre(2, 0, 3));
    EXPECT_EQ(p.what.lanes, 3U);
    EXPECT_EQ(p.what.home, home::none) << "no token, no home";
  }
  EXPECT_THAT(points_of(plan, "barrier"), SizeIs(1));
  fixtures::expect_no_point_twice(plan);
}

TEST(pinned_lanes, a_pu_that_is_not_there_or_not_allowed_is_refused) {
  run_options options = with_ops({"barrier"});
  options.pus = {0, 7};
  EXPECT_EQ(mistake_on("core:4 pu:1", options),
            "--cpus: this machine has no CPU 7; this process may use 0-3");
  const auto tests = std::filesystem::path(__FILE__).parent_path().parent_path().parent_path();
  const auto hole =
      topology::from_xml((tests / "data" / "topologies" / "cpuset-hole.xml").string());
  EXPECT_THAT(
      [&] { require_pus({1, 0}, hole); },
      testing::ThrowsMessage<usage_error>("--cpus: this process may not use CPU 0, only 1-3,8-11"));
  EXPECT_NO_THROW(require_pus({1, 8}, hole));
}

TEST(pinned_lanes, no_more_of_them_than_lanes_are_allowed) {
  const topology machine = topology::synthetic("core:4 pu:1");
  cpu_grant two = fixtures::all_of(machine);
  two.quota_cpus = 2;
  two.quota_source = "cpu.max";
  run_options options = with_ops({"barrier"});
  options.pus = {0, 1, 2};
  EXPECT_THAT([&] { (void)make_plan(options, {fixtures::omp_worker()}, machine, two); },
              testing::ThrowsMessage<usage_error>(
                  HasSubstr("--cpus: 3 is more than the 2 threads allowed here")));
}

TEST(pinned_lanes, a_home_that_cannot_be_is_refused_with_the_reason) {
  run_options options = core_to_core();
  options.homes = {home::second, home::other};
  const auto plan = plan_on("core:2 pu:1", options, {with_both_handoffs()});
  EXPECT_THAT(plan.points, SizeIs(4)) << "home second";
  ASSERT_THAT(plan.refused, SizeIs(2)) << "once for each operation";
  EXPECT_EQ(plan.refused[0].status, "unsupported");
  EXPECT_EQ(plan.refused[0].reason, "--home other needs a CPU on which no thread runs");
  const auto with_a_third = plan_on("core:3 pu:1", options, {with_both_handoffs()});
  EXPECT_THAT(with_a_third.points, SizeIs(24));
  EXPECT_THAT(with_a_third.refused, SizeIs(0));
}

TEST(pair_plan, of_many_pus_a_sample_of_each_class_comes_first) {
  const auto few = plan_on("package:2 l3:1 core:4 pu:2", core_to_core(), {with_both_handoffs()});
  EXPECT_FALSE(few.budget_s) << "16 CPUs end in time";
  const auto many = plan_on("package:2 l3:1 core:16 pu:2", core_to_core(), {with_both_handoffs()});
  EXPECT_EQ(many.budget_s, 60.0);
  EXPECT_EQ(many.predicted_s, 60.0);
  EXPECT_THAT(many.left_out, HasSubstr("as far as 60 s"));
  const auto first = [&](const planned_point& p) { return p.stage == 0; };
  // 20 pairs each of one core, one L3 and two packages, both ways round, by load and by CAS.
  EXPECT_EQ(std::count_if(many.points.begin(), many.points.end(), first), 3 * 20 * 2 * 2);
  EXPECT_THAT(many.points, SizeIs(64 * 63 * 2));
}

TEST(pinned_lanes, the_file_tells_where_its_pus_sit) {
  const topology machine = topology::synthetic("package:2 l3:1 core:2 pu:2");
  run_options options = core_to_core();
  options.pus = {1, 6};
  const auto plan = plan_on("package:2 l3:1 core:2 pu:2", options, {with_both_handoffs()});
  const nlohmann::json campaign{{"units", units_named(plan, options, machine)}};
  const auto& units = campaign.at("units");
  ASSERT_THAT(units, SizeIs(2));
  EXPECT_EQ(units[1].at("pu"), 6);
  EXPECT_EQ(units[1].at("package"), 1);
  EXPECT_EQ(units[1].at("core"), 3);
  EXPECT_EQ(units[0].at("thread"), 1);
  EXPECT_TRUE(units_named(plan_on("core:2 pu:1", with_ops({"barrier"})), {}, machine).is_null())
      << "where no CPU is named the file stays as it was";
}

}  // namespace
}  // namespace syncmeter::pair_plan_test
