// Which points a study makes of what a host thread launches on a GPU.
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include "driver/plan/gpu_plan.hpp"
#include "driver/plan/point_groups.hpp"
#include "tests/unit/driver_fixtures.hpp"
#include "tests/unit/gpu_fixtures.hpp"

namespace syncmeter::launch_plan_test {
namespace {

using testing::ElementsAre;
using testing::SizeIs;
using testing::StartsWith;
using testing::UnorderedElementsAre;

campaign_plan plan_for(const run_options& options, const std::vector<worker_info>& workers) {
  const topology machine = topology::synthetic("core:2 pu:1");
  cpu_grant grant;
  for (const processing_unit& unit : machine.units()) grant.allowed.push_back(unit.os);
  return make_plan(options, workers, machine, grant);
}

run_options with_ops(std::vector<std::string> ops) {
  run_options options;
  options.ops = std::move(ops);
  options.blocks = {{.first = 1, .last = 1}};
  options.lanes = {{.first = 32, .last = 32}};
  return options;
}

// An op that a host thread launches, and a graph of so many kernels.
worker_info launching_worker() {
  worker_info worker = fixtures::cuda_worker();
  for (const char* op : {"launch", "graph_launch"})
    worker.capabilities.push_back(fixtures::gpu_row(op, "launch"));
  worker.capabilities.back().size_of = "kernels of a graph";
  return worker;
}

TEST(launch_plan, only_what_a_host_thread_launches_has_a_home) {
  run_options options = with_ops({"launch", "barrier"});
  options.homes = {home::first, home::other};
  const campaign_plan plan = plan_for(options, {launching_worker()});
  std::vector<std::string> all;
  for (const planned_point& p : plan.points)
    all.push_back(fmt::format("{} {}", p.what.op, to_text(p.what.home)));
  EXPECT_THAT(all, UnorderedElementsAre("launch first", "launch other", "barrier none"));
  options.homes = {home::second};
  const campaign_plan second = plan_for(options, {launching_worker()});
  ASSERT_THAT(second.refused, SizeIs(1));
  EXPECT_THAT(second.refused.front().reason,
              StartsWith("--home second applies to the mailboxes of a handoff"));
  for (const planned_point& p : plan_for(with_ops({"launch"}), {launching_worker()}).points)
    EXPECT_EQ(p.what.home, home::none) << "unless the user or the study asks";
}

TEST(launch_plan, the_kernel_boundary_is_measured_near_and_far_with_graphs_of_sizes) {
  const run_options options;
  const gpu_device gpu = fixtures::small_gpu();
  gpu_planner planner(options, gpu);
  const worker_info worker = launching_worker();
  for (const char* name : {"launch", "graph_launch"}) {
    offered_op op{"cuda", name, {}};
    for (const capability& row : worker.capabilities) {
      if (row.op == name) op.rows.push_back(&row);
    }
    for (const gpu_rule& rule : find_study("levels")->gpu.rules) {
      if (covers(rule, name)) planner.add(op, rule.axes);
    }
  }
  std::vector<std::string> all;
  for (const planned_point& p : planner.take_points()) {
    if (p.what.blocks == 1)
      all.push_back(fmt::format("{} {} {}", p.what.op, p.what.size, to_text(p.what.home)));
  }
  EXPECT_THAT(all, ElementsAre("launch 0 none", "launch 0 first", "launch 0 other",
                               "graph_launch 1 none", "graph_launch 2 none", "graph_launch 4 none",
                               "graph_launch 8 none", "graph_launch 16 none",
                               "graph_launch 32 none", "graph_launch 64 none"));
}

TEST(launch_plan, graphs_have_sizes_in_every_study_that_measures_all_ops) {
  run_options options = with_ops({"*launch"});
  std::vector<std::string> all;
  for (const planned_point& p : plan_for(options, {launching_worker()}).points)
    all.push_back(fmt::format("{} {}", p.what.op, p.what.size));
  EXPECT_THAT(all, UnorderedElementsAre("launch 0", "graph_launch 1", "graph_launch 16"));
  options.sizes = {5};
  const campaign_plan plan = plan_for(options, {launching_worker()});
  EXPECT_THAT(plan.points, SizeIs(2));
}

TEST(launch_plan, equal_gpus_share_all_but_what_the_host_thread_launches) {
  worker_info worker = launching_worker();
  for (const unsigned index : {1U, 2U})
    worker.gpus["cuda"].devices.push_back(fixtures::small_gpu(index));
  run_options options = with_ops({"launch", "barrier", "atomic_add"});
  options.types = {value_type::int32};
  options.devices = {};
  std::vector<std::string> turns;
  for (const planned_point& p : plan_for(options, {worker}).points) {
    std::vector<unsigned> of_visits;
    for (unsigned visit = 1; visit <= 4; ++visit) of_visits.push_back(device_of(p, visit));
    turns.push_back(fmt::format("{} {}", p.what.op, fmt::join(of_visits, "")));
  }
  EXPECT_THAT(turns, ElementsAre("barrier 0120", "atomic_add 1201", "atomic_add 2012",
                                 "atomic_add 0120", "launch 0000"));
}

TEST(launch_plan, gpus_that_share_points_are_predicted_to_take_part_of_the_time) {
  worker_info worker = fixtures::cuda_worker();
  worker.gpus["cuda"].devices.push_back(fixtures::small_gpu(1));
  run_options options;
  const double alone_s = plan_for(options, {worker}).predicted_s;
  options.devices = {0, 1};
  const double shared_s = plan_for(options, {worker}).predicted_s;
  EXPECT_LT(shared_s, 0.9 * alone_s);
}

}  // namespace
}  // namespace syncmeter::launch_plan_test
