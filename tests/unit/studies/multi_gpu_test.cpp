// The study of several GPUs: its points by the devices that a host has.
#include "driver/plan/point_groups.hpp"
#include "driver/workers/worker_info.hpp"

#include <gmock/gmock.h>

#include "tests/unit/driver_fixtures.hpp"
#include "tests/unit/gpu_fixtures.hpp"

namespace syncmeter::multi_gpu_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

worker_info worker_of(unsigned devices) {
  worker_info worker = fixtures::cuda_worker();
  auto& found = worker.gpus["cuda"].devices;
  found.clear();
  for (unsigned i = 0; i < devices; ++i) found.push_back(fixtures::small_gpu(i));
  for (gpu_device& gpu : found) gpu.devices = devices;
  for (const char* op :
       {"multi_gpu_barrier_counter", "multi_gpu_barrier_flags", "multi_gpu_graph_barrier"}) {
    worker.capabilities.push_back(fixtures::gpu_row(op, "barrier"));
    worker.capabilities.back().size_of = "devices";
  }
  worker.capabilities.push_back(
      fixtures::gpu_row("remote_atomic_add_dependent", "atomic", value_type::int32));
  worker.capabilities.back().placements = {placement::strided};
  for (capability& row : worker.capabilities)
    if (row.op.starts_with("multi_gpu_") || row.op.starts_with("remote_")) row.in_quick = false;
  return worker;
}

campaign_plan plan_on(unsigned devices, run_options options = {}) {
  if (options.study == run_options{}.study) options.study = "multi-gpu";
  const topology machine = topology::synthetic("core:2 pu:1");
  cpu_grant grant;
  for (const processing_unit& unit : machine.units()) grant.allowed.push_back(unit.os);
  return make_plan(options, {worker_of(devices)}, machine, grant);
}

std::set<std::string> sizes_and_homes(const campaign_plan& plan, const std::string& op) {
  std::set<std::string> all;
  for (const planned_point& p : plan.points) {
    if (p.what.op == op) all.insert(fmt::format("{} {}", p.what.size, to_text(p.what.home)));
  }
  return all;
}

TEST(multi_gpu, the_devices_of_a_point_are_those_that_the_host_has) {
  EXPECT_THAT(sizes_and_homes(plan_on(4), "multi_gpu_barrier_flags"),
              ElementsAre("1 none", "2 none", "3 none", "4 none"));
  EXPECT_THAT(sizes_and_homes(plan_on(2), "multi_gpu_barrier_counter"),
              ElementsAre("1 none", "2 none", "2 second"));
  EXPECT_THAT(sizes_and_homes(plan_on(2), "multi_gpu_graph_barrier"),
              ElementsAre("1 none", "2 none"));
  EXPECT_THAT(sizes_and_homes(plan_on(2), "remote_atomic_add_dependent"),
              ElementsAre("0 first", "0 other", "0 second"));
  EXPECT_THAT(plan_on(2).refused, IsEmpty());
}

TEST(multi_gpu, one_device_is_said_once_for_each_op) {
  const campaign_plan plan = plan_on(1);
  std::vector<std::string> said;
  for (const refused_point& r : plan.refused) {
    if (r.what.op == "multi_gpu_barrier_flags") said.push_back(r.reason);
  }
  EXPECT_THAT(said, ElementsAre("--size 2: this host has 1 CUDA device"));
  EXPECT_THAT(sizes_and_homes(plan, "multi_gpu_barrier_flags"), ElementsAre("1 none"));
}

TEST(multi_gpu, what_the_user_asks_for_beyond_the_host_is_refused) {
  run_options options;
  options.study = "multi-gpu";
  options.ops = {"multi_gpu_barrier_flags"};
  options.sizes = {2, 8};
  const campaign_plan plan = plan_on(2, options);
  EXPECT_THAT(sizes_and_homes(plan, "multi_gpu_barrier_flags"), ElementsAre("2 none"));
  ASSERT_EQ(plan.refused.size(), 1U);
  EXPECT_EQ(plan.refused.front().reason, "--size 8: this host has 2 CUDA devices");
}

TEST(multi_gpu, no_other_study_crosses_devices) {
  run_options options;
  options.study = "scaling";
  EXPECT_THAT(sizes_and_homes(plan_on(2, options), "multi_gpu_barrier_flags"), IsEmpty());
  EXPECT_THAT(sizes_and_homes(plan_on(2, options), "remote_atomic_add_dependent"), IsEmpty());
}

TEST(multi_gpu, a_busy_device_is_named_where_it_takes_part) {
  worker_info worker = worker_of(2);
  worker.gpus["cuda"].devices[1].busy_percent = 97;
  run_options options;
  options.study = "scaling";
  EXPECT_THAT(busy_gpus(plan_on(2, options), {worker}), IsEmpty());
  options.devices = {1};
  EXPECT_THAT(busy_gpus(plan_on(2, options), {worker}),
              ElementsAre(HasSubstr("GPU 1 (Small GPU) was busy 97 %")));
  EXPECT_THAT(busy_gpus(plan_on(2), {worker}), ElementsAre(HasSubstr("GPU 1 (Small GPU)")));
  run_options one_of_them;
  one_of_them.sizes = {1};
  one_of_them.ops = {"multi_gpu_barrier_flags"};
  EXPECT_THAT(busy_gpus(plan_on(2, one_of_them), {worker}), IsEmpty());
  worker.gpus["cuda"].devices[1].busy_percent = 5;
  EXPECT_THAT(busy_gpus(plan_on(2), {worker}), IsEmpty());
}

}  // namespace
}  // namespace syncmeter::multi_gpu_test
