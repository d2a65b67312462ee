// Which points a study makes on a machine, which it refuses, and which it measures once for
// several.
#include "cli/plan.hpp"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>

#include "cli/studies.hpp"
#include "cli_fixtures.hpp"

namespace syncmeter {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

cpu_grant all_of(const topology& machine) {
  cpu_grant grant;
  for (const processing_unit& unit : machine.units()) grant.allowed.push_back(unit.os);
  return grant;
}

campaign_plan plan_on(const std::string& machine_text, const run_options& options,
                      const std::vector<worker_info>& workers = {fixtures::omp_worker()}) {
  const topology machine = topology::synthetic(machine_text);
  return make_plan(options, workers, machine, all_of(machine));
}

run_options with_ops(std::vector<std::string> ops, std::string study = "quick") {
  run_options options;
  options.study = std::move(study);
  options.ops = std::move(ops);
  return options;
}

std::string mistake(const run_options& options, const std::vector<worker_info>& workers) {
  try {
    (void)plan_on("core:2 pu:1", options, workers);
  } catch (const usage_error& error) {
    return error.what();
  }
  return "no mistake";
}

std::vector<const planned_point*> points_of(const campaign_plan& plan, const std::string& op) {
  std::vector<const planned_point*> found;
  for (const planned_point& p : plan.points) {
    if (p.what.op == op) found.push_back(&p);
  }
  return found;
}

std::vector<std::string> texts(const campaign_plan& plan) {
  std::vector<std::string> all;
  for (const planned_point& p : plan.points) {
    all.push_back(canonical(p.what));
    for (const point& same : p.same_as) all.push_back(canonical(same));
  }
  return all;
}

// What the user's measurement stands for, however it was merged: all points, each exactly once.
void expect_no_point_twice(const campaign_plan& plan) {
  const std::vector<std::string> all = texts(plan);
  EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), all.size());
}

TEST(studies, a_pattern_fits_whole_names) {
  EXPECT_TRUE(fits("atomic_*", "atomic_add"));
  EXPECT_TRUE(fits("*", ""));
  EXPECT_TRUE(fits("*_add", "critical_named_add"));
  EXPECT_FALSE(fits("atomic", "atomic_add"));
  EXPECT_FALSE(fits("atomic_*d", "atomic_sub"));
}

TEST(studies, lanes_of_each_kind) {
  EXPECT_THAT(lanes_of(lane_set::one_and_max, 6), ElementsAre(1, 6));
  EXPECT_THAT(lanes_of(lane_set::one_and_max, 1), ElementsAre(1));
  EXPECT_THAT(lanes_of(lane_set::max, 6), ElementsAre(6));
  EXPECT_THAT(lanes_of(lane_set::powers, 6), ElementsAre(1, 2, 4, 6));
  EXPECT_THAT(lanes_of(lane_set::published, 5), ElementsAre(1, 2, 3, 4, 5));
  EXPECT_THAT(lanes_of(lane_set::published, 32), SizeIs(32));
  EXPECT_THAT(lanes_of(lane_set::published, 48), ElementsAre(1, 2, 4, 8, 16, 32, 48));
}

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
      << "strided only, so also at one lane";
  for (const planned_point& p : plan.points) {
    EXPECT_EQ(p.pus.size(), p.what.lanes);
    EXPECT_EQ(p.visits, 5U);
    EXPECT_FALSE(p.additivity);
  }
  expect_no_point_twice(plan);
  EXPECT_NEAR(plan.predicted_s, static_cast<double>(plan.points.size()) * 5 * 0.008, 1e-9);
}

TEST(plan, a_visit_is_never_predicted_to_outlast_its_share_of_the_time) {
  run_options options = with_ops({"barrier"});
  options.max_time_s = 0.01;
  EXPECT_NEAR(plan_on("core:4 pu:1", options).predicted_s, 2 * 0.01, 1e-12);
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
  options.lanes = {{.first = 2, .last = 3}, {.max = true}};
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
      << "2, 3, 4 lanes, bound and unbound";
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
                        {std::string("handoff unsupported: needs at least 2 lanes"),
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

TEST(plan, equal_code_on_equal_cells_and_pus_is_measured_once) {
  worker_info worker = fixtures::omp_worker();
  for (capability& row : worker.capabilities) {
    // On x86 a relaxed and an acq_rel update are one instruction; strided ones take an opaque
    // address.
    if (row.op == "atomic_add" && row.type == value_type::int32) row.code = {"base", "test"};
  }
  run_options options = with_ops({"atomic_add"});
  options.orders = {order::relaxed, order::acq_rel};
  options.lanes = {{.first = 1, .last = 2}};
  options.strides = {0, 1, 16};
  options.placements = {placement::shared, placement::strided};
  const campaign_plan plan = plan_on("core:2 pu:1", options, {worker});
  std::vector<std::pair<std::string, std::size_t>> kept;
  for (const planned_point& p : plan.points) {
    kept.emplace_back(std::to_string(p.what.lanes) + " lanes " +
                          std::to_string(stride_bytes(p.what)) + " B",
                      p.same_as.size());
  }
  // One lane: every placement, stride and order is one cell. Two lanes: stride 0 is the shared
  // cell.
  EXPECT_THAT(kept, ElementsAre(std::pair("1 lanes 0 B", 7U), std::pair("2 lanes 0 B", 3U),
                                std::pair("2 lanes 4 B", 1U), std::pair("2 lanes 64 B", 1U)));
  EXPECT_THAT(plan.points.front().why, HasSubstr("equal machine code"));
  expect_no_point_twice(plan);
}

TEST(plan, anything_that_a_measurement_depends_on_keeps_points_apart) {
  worker_info worker = fixtures::omp_worker();
  for (capability& row : worker.capabilities) {
    if (row.op == "atomic_add" && row.type == value_type::int32) row.code = {"base", "test"};
    if (row.op == "atomic_fetch_add" && row.type == value_type::int32)
      row.code = {"base", "other test"};
    if (row.op == "atomic_read" && row.type == value_type::int32) row.code = {"other base", "test"};
    if (row.op == "atomic_write" && row.type == value_type::int32) row.code = {"base", "test"};
    if (row.op == "atomic_write") row.ops_per_step = 2;
  }
  run_options options = with_ops({"atomic_add", "atomic_fetch_add", "atomic_read", "atomic_write"});
  options.placements = {placement::shared};
  options.waits = {wait_policy::active, wait_policy::passive};
  const campaign_plan plan = plan_on("core:2 pu:1", options, {worker});
  EXPECT_EQ(plan.points.size(), std::size_t{4 * 2 * 2});
  for (const planned_point& p : plan.points) EXPECT_THAT(p.same_as, IsEmpty()) << canonical(p.what);
}

TEST(plan, without_a_type_or_code_only_the_affinity_may_differ) {
  worker_info worker = fixtures::omp_worker();
  for (capability& row : worker.capabilities) {
    if (row.op == "critical_add") row.code.clear();
  }
  run_options options = with_ops({"critical_add", "fence"});
  options.affinities = {affinity::close, affinity::spread, affinity::none};
  options.orders = {order::unordered, order::seq_cst};
  options.types = {value_type::int32, value_type::float32};
  options.lanes = {{.max = true}};
  const campaign_plan plan = plan_on("core:2 pu:1", options, {worker});
  EXPECT_THAT(points_of(plan, "critical_add"), SizeIs(2 * 2))
      << "close = spread, and none by itself";
  EXPECT_THAT(points_of(plan, "fence"), SizeIs(2 * 2));
  for (const planned_point& p : plan.points) {
    EXPECT_THAT(p.same_as, SizeIs(p.what.affinity == affinity::none ? 0 : 1));
    if (p.what.affinity == affinity::none) {
      EXPECT_THAT(p.pus, Each(-1));
    }
  }
}

TEST(plan, lanes_beyond_the_machine_need_oversubscribe) {
  run_options options = with_ops({"barrier"});
  options.lanes = {{.first = 1, .last = 3}};
  EXPECT_THAT(
      mistake(options, {fixtures::omp_worker()}),
      AllOf(HasSubstr("--lanes: 3 is more than the 2 lanes"), HasSubstr("--oversubscribe")));
  options.oversubscribe = true;
  const campaign_plan plan = plan_on("core:2 pu:1", options);
  ASSERT_EQ(plan.points.size(), std::size_t{3});
  const std::vector<int>& pus = plan.points.back().pus;
  ASSERT_THAT(pus, SizeIs(3));
  EXPECT_NE(pus[0], pus[1]);
  EXPECT_EQ(pus[2], pus[0]) << "the third lane shares the first one's PU";
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
    FAIL() << "4 lanes on a quota of 2";
  } catch (const usage_error& error) {
    EXPECT_THAT(error.what(),
                AllOf(HasSubstr("4 is more than the 2"), HasSubstr("/sys/fs/cgroup/cpu.max")));
  }
}

TEST(plan, names_that_nothing_here_has_are_refused_with_what_there_is) {
  const std::vector<worker_info> omp{fixtures::omp_worker()};
  EXPECT_THAT(mistake(with_ops({"atomic_ad"}), omp),
              AllOf(HasSubstr("--op"), HasSubstr("'atomic_add'"), HasSubstr("barrier")));
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
}  // namespace syncmeter
