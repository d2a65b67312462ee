// Which points a study makes on a machine, which it refuses, and which it measures once for
// several.
#include "driver/plan/plan.hpp"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>

#include "tests/unit/plan_fixtures.hpp"

namespace syncmeter::plan_test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

using fixtures::all_of;
using fixtures::expect_no_point_twice;
using fixtures::mistake;
using fixtures::plan_on;
using fixtures::points_of;
using fixtures::texts;
using fixtures::with_ops;

TEST(plan, quick_is_one_type_at_one_lane_and_at_all_without_false_sharing) {
  const campaign_plan plan = plan_on("core:4 pu:1", {});
  std::vector<std::string> adds;
  for (const planned_point* p : points_of(plan, "atomic_add")) adds.push_back(canonical(p->what));
  const std::string shared = "backend=omp op=atomic_add type=int32 placement=shared lanes=";
  const std::string rest = " order=relaxed affinity=close wait=active";
  EXPECT_THAT(adds, ElementsAre(shared + "1" + rest, shared + "4" + rest,
                                "backend=omp op=atomic_add type=int32 placement=strided stride=16 "
                                "lanes=4" +
                                    rest));
  EXPECT_THAT(points_of(plan, "control_multiply_1"), SizeIs(2));
  EXPECT_THAT(points_of(plan, "control_multiply_2"), IsEmpty());
  EXPECT_THAT(points_of(plan, "fence_between_adds"), SizeIs(2))
      << "strided only, so also at one thread";
  for (const planned_point& p : plan.points) {
    EXPECT_EQ(p.pus.size(), p.what.lanes);
    EXPECT_EQ(p.visits, 5U);
    EXPECT_FALSE(p.additivity);
  }
  expect_no_point_twice(plan);
  EXPECT_NEAR(plan.predicted_s, static_cast<double>(plan.points.size()) * 5 * 0.022 + 5 * 0.3, 1e-9)
      << "repetitions, and a worker started for each pass";
}

TEST(plan, a_visit_is_never_predicted_to_outlast_its_share_of_the_time) {
  run_options options = with_ops({"barrier"});
  options.max_time_s = 0.01;
  EXPECT_NEAR(plan_on("core:4 pu:1", options).predicted_s, 2 * 0.01 + 5 * 0.3, 1e-12);
}

TEST(plan, the_backends_that_a_study_lacks_are_named_and_counted) {
  const campaign_plan plan = plan_on("core:4 pu:1", with_ops({}, "locks"));
  EXPECT_THAT(plan.backends_missing,
              StartsWith("study 'locks' compares 5 backends; 4 of them are left out: "));
  EXPECT_THAT(plan.left_out,
              StartsWith("backends without a worker (omp-llvm, std, posix, libraries); types"));
  run_options named = with_ops({}, "locks");
  named.backends = {"omp"};
  EXPECT_EQ(plan_on("core:4 pu:1", named).backends_missing, "");
  EXPECT_EQ(plan_on("core:4 pu:1", {}).backends_missing, "") << "quick compares no others";
}

TEST(plan, scaling_doubles_the_lanes_and_merges_equal_placements) {
  const campaign_plan plan = plan_on("package:2 core:3 pu:1", with_ops({"barrier"}, "scaling"));
  std::vector<unsigned> lanes;
  std::size_t merged = 0;
  for (const planned_point* p : points_of(plan, "barrier")) {
    lanes.push_back(p->what.lanes);
    merged += p->same_as.size();
  }
  // One lane sits on the same PU either way; with more, close and spread part.
  EXPECT_EQ(merged, 1U);
  EXPECT_THAT(lanes, ElementsAre(1, 2, 2, 4, 4, 6, 6));
  EXPECT_THAT(plan.points.front().why, HasSubstr("equal placement"));
  expect_no_point_twice(plan);
}

TEST(plan, control_repeats_nothing_a_hundred_times_and_merges_none_of_it) {
  run_options options;
  options.study = "control";
  const campaign_plan plan = plan_on("core:2 pu:1", options);
  const auto nothing = points_of(plan, "control_aa");
  ASSERT_THAT(nothing, SizeIs(100));
  EXPECT_EQ(nothing.front()->what.repeat, 1U);
  EXPECT_EQ(nothing.back()->what.repeat, 100U);
  for (const char* op : {"control_multiply_1", "control_multiply_8"})
    EXPECT_THAT(points_of(plan, op), SizeIs(4));
  for (const char* op : {"atomic_add", "atomic_fetch_add", "atomic_cas_pass", "fence", "barrier"}) {
    const auto found = points_of(plan, op);
    ASSERT_THAT(found, SizeIs(1)) << op;
    EXPECT_TRUE(found.front()->additivity) << op;
  }
  EXPECT_FALSE(nothing.front()->additivity);
  EXPECT_EQ(points_of(plan, "barrier").front()->what.lanes, 2U);
  EXPECT_THAT(points_of(plan, "atomic_read"), IsEmpty());
}

TEST(plan, paper_has_the_published_axes) {
  run_options options;
  options.study = "paper";
  const campaign_plan plan = plan_on("core:2 pu:1", options);
  const std::vector<std::string> all = texts(plan);
  const auto with = [&all](const std::string& part) {
    return std::count_if(all.begin(), all.end(),
                         [&](const auto& t) { return t.find(part) != std::string::npos; });
  };
  // types x lanes x affinities (close, spread, none), times what the row says
  EXPECT_EQ(with("op=atomic_add type"), 4 * 2 * 3 * (1 + 6))
      << "shared, and strided at six strides";
  EXPECT_EQ(with("op=atomic_fetch_add"), 4 * 2 * 3);
  EXPECT_EQ(with("op=atomic_write type"), 4 * 2 * 3);
  EXPECT_EQ(with("op=atomic_write_two_lines"), 4 * 2 * 3);
  EXPECT_EQ(with("op=atomic_read"), 4 * 2 * 3);
  EXPECT_EQ(with("op=critical_add"), 4 * 2 * 3);
  EXPECT_EQ(with("op=fence_between_adds"), 4 * 2 * 3 * 6);
  EXPECT_EQ(with("op=fence lanes"), 2 * 3);
  EXPECT_EQ(with("op=barrier"), 2 * 3);
  EXPECT_EQ(with("op="), 168 + 5 * 24 + 144 + 2 * 6);
  // On two PUs close and spread agree, and at one lane all strides are one cell.
  // Unbound lanes are never the same: each of their points is measured.
  EXPECT_EQ(plan.points.size(), (74U + 34U) + 2U * 74U);
  expect_no_point_twice(plan);
}

TEST(plan, the_users_axes_replace_the_studys) {
  run_options options = with_ops({"atomic_add", "barrier"});
  options.types = {value_type::float64};
  options.lanes = {{.first = 2, .last = 3}, {.named = count_range::symbol::max}};
  options.placements = {placement::strided};
  options.strides = {1, 4};
  options.orders = {order::seq_cst};
  options.affinities = {affinity::spread};
  options.waits = {wait_policy::passive};
  options.visits = 7;
  options.additivity = true;
  const campaign_plan plan = plan_on("core:4 pu:1", options);
  ASSERT_THAT(points_of(plan, "atomic_add"), SizeIs(3 * 2));
  ASSERT_THAT(points_of(plan, "barrier"), SizeIs(3))
      << "it has no type, order or placement to choose";
  for (const planned_point& p : plan.points) {
    EXPECT_THAT(canonical(p.what), HasSubstr("affinity=spread wait=passive"));
    EXPECT_EQ(p.visits, 7U);
    EXPECT_TRUE(p.additivity);
  }
  for (const planned_point* p : points_of(plan, "atomic_add")) {
    EXPECT_THAT(canonical(p->what),
                AllOf(HasSubstr("type=double placement=strided"), HasSubstr("order=seq_cst")));
  }
}

TEST(plan, ops_beyond_a_studys_own_take_its_shape) {
  EXPECT_THAT(
      points_of(plan_on("core:4 pu:1", with_ops({"control_multiply_8"})), "control_multiply_8"),
      SizeIs(2));
  EXPECT_THAT(points_of(plan_on("core:4 pu:1", with_ops({"handoff"}, "paper")), "handoff"),
              SizeIs(3 * 2))
      << "2, 3, 4 threads, bound and unbound";
  EXPECT_THAT(plan_on("core:4 pu:1", with_ops({"atomic_*"})).points, SizeIs(6 * 3));
}

TEST(plan, what_cannot_be_measured_is_refused_once_with_its_reason) {
  worker_info worker = fixtures::omp_worker();
  for (capability& row : worker.capabilities) {
    if (row.op == "atomic_cas_pass") {
      row.supported = false;
      row.reason = "this compiler has no `omp atomic compare`";
    }
    if (row.op == "fence" && row.order == order::acquire) row.code = {"same", "same"};
    if (row.op == "control_aa") row.code = {"aa", "aa"};
  }
  run_options options = with_ops({"atomic_cas_pass", "fence", "handoff", "control_aa"});
  options.orders = {order::acquire};
  campaign_plan plan = plan_on("core:4 pu:1", options, {worker});
  std::set<std::string> said;
  for (const refused_point& r : plan.refused)
    said.insert(r.what.op + " " + r.status + ": " + r.reason);
  EXPECT_EQ(plan.refused.size(), 3U);
  EXPECT_THAT(said, testing::IsSupersetOf(
                        {std::string("handoff unsupported: needs at least 2 threads"),
                         std::string("fence elided: the compiler emits nothing for it: both loops "
                                     "are the same machine code"),
                         std::string("atomic_cas_pass unsupported: has no order acquire, only "
                                     "relaxed, acq_rel, seq_cst")}));
  EXPECT_THAT(points_of(plan, "control_aa"), SizeIs(2)) << "empty on purpose";
  EXPECT_THAT(points_of(plan, "handoff"), SizeIs(1));
  options.orders.clear();
  plan = plan_on("core:4 pu:1", options, {worker});
  EXPECT_THAT(points_of(plan, "atomic_cas_pass"), IsEmpty());
  const auto cas =
      std::find_if(plan.refused.begin(), plan.refused.end(),
                   [](const refused_point& r) { return r.what.op == "atomic_cas_pass"; });
  ASSERT_NE(cas, plan.refused.end());
  EXPECT_EQ(cas->reason, "this compiler has no `omp atomic compare`");
}

TEST(plan, lanes_beyond_the_machine_need_oversubscribe) {
  run_options options = with_ops({"barrier"});
  options.lanes = {{.first = 1, .last = 3}};
  EXPECT_THAT(
      mistake(options, {fixtures::omp_worker()}),
      AllOf(HasSubstr("--threads: 3 is more than the 2 threads"), HasSubstr("--oversubscribe")));
  options.oversubscribe = true;
  const campaign_plan plan = plan_on("core:2 pu:1", options);
  ASSERT_EQ(plan.points.size(), std::size_t{3});
  const std::vector<int>& pus = plan.points.back().pus;
  ASSERT_THAT(pus, SizeIs(3));
  EXPECT_NE(pus[0], pus[1]);
  EXPECT_EQ(pus[2], pus[0]) << "the third thread shares the first one's CPU";
}

TEST(plan, a_quota_caps_the_lanes_and_is_named) {
  const topology machine = topology::synthetic("core:4 pu:1");
  cpu_grant grant = all_of(machine);
  grant.quota_cpus = 2;
  grant.quota_source = "/sys/fs/cgroup/cpu.max";
  const std::vector<worker_info> workers{fixtures::omp_worker()};
  run_options options = with_ops({"barrier"});
  EXPECT_EQ(make_plan(options, workers, machine, grant).points.back().what.lanes, 2U);
  options.lanes = {{.first = 4, .last = 4}};
  try {
    (void)make_plan(options, workers, machine, grant);
    FAIL() << "4 threads on a quota of 2";
  } catch (const usage_error& error) {
    EXPECT_THAT(error.what(),
                AllOf(HasSubstr("4 is more than the 2"), HasSubstr("/sys/fs/cgroup/cpu.max")));
  }
}

TEST(plan, a_backend_that_is_built_everywhere_waits_for_its_name) {
  const worker_info omp = fixtures::omp_worker();
  worker_info threads = omp;
  threads.name = "std";
  threads.backends = {"std"};
  for (capability& row : threads.capabilities) row.backend = "std";
  const auto backends = [](const campaign_plan& plan) {
    std::set<std::string> seen;
    for (const planned_point& p : plan.points) seen.insert(p.what.backend);
    return seen;
  };
  run_options options;
  EXPECT_THAT(backends(plan_on("core:2 pu:1", options, {omp, threads})), ElementsAre("omp"));
  EXPECT_THAT(backends(plan_on("core:2 pu:1", options, {threads})), ElementsAre("std"))
      << "where there is no other";
  options.backends = {"std"};
  EXPECT_THAT(backends(plan_on("core:2 pu:1", options, {omp, threads})), ElementsAre("std"));
}

TEST(plan, names_that_nothing_here_has_are_refused_with_what_there_is) {
  const std::vector<worker_info> omp{fixtures::omp_worker()};
  EXPECT_THAT(mistake(with_ops({"atomic_ad"}), omp),
              AllOf(HasSubstr("--op"), HasSubstr("'atomic_add'"), HasSubstr("`syncmeter list`")));
  EXPECT_THAT(mistake(with_ops({"warp_*"}), omp), HasSubstr("unknown op 'warp_*'"));
  run_options options;
  options.study = "nope";
  EXPECT_THAT(mistake(options, omp), HasSubstr("unknown study 'nope'"));
  options = {};
  options.types = {value_type::uint32};
  EXPECT_THAT(mistake(options, omp),
              AllOf(HasSubstr("'uint32'"), HasSubstr("int32, uint64, float, double")));
  options = {};
  options.backends = {"opm"};
  EXPECT_THAT(mistake(options, omp), HasSubstr("did you mean 'omp'?"));

  worker_info missing;
  missing.name = "cuda";
  missing.problem = "no worker for it";
  options.backends = {"cuda"};
  EXPECT_THAT(mistake(options, {omp.front(), missing}),
              AllOf(HasSubstr("'cuda' cannot be used: no worker for it"), HasSubstr("omp")));
  EXPECT_THAT(mistake({}, {missing}),
              AllOf(HasSubstr("no backend can be used"), HasSubstr("no worker for it")));
}

}  // namespace
}  // namespace syncmeter::plan_test
