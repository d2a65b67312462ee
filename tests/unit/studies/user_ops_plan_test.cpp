// The ops that only a user's worker has: each study takes those that fit it, by their family.
#include <set>

#include <gmock/gmock.h>

#include "tests/unit/gpu_fixtures.hpp"
#include "tests/unit/plan_fixtures.hpp"

namespace syncmeter::user_ops_plan_test {
namespace {

using fixtures::points_of;
using fixtures::with_ops;
using testing::IsEmpty;
using testing::SizeIs;

worker_info worker_of(const std::string& backend) {
  worker_info worker = fixtures::omp_worker();
  worker.name = backend;
  worker.backends = {backend};
  worker.capabilities.clear();
  const auto add = [&](const fixtures::op_shape& op) {
    for (capability& row : fixtures::rows_of(op)) {
      row.backend = backend;
      worker.capabilities.push_back(std::move(row));
    }
  };
  add({.op = "my_lock",
       .family = "critical",
       .types = {value_type::int32},
       .placements = {placement::shared, placement::strided}});
  add({.op = "my_section",
       .family = "critical",
       .types = {value_type::int32},
       .placements = {placement::shared}});
  add({.op = "my_barrier", .family = "barrier", .types = {}, .placements = {placement::none}});
  add({.op = "control_aa", .family = "control", .types = {}, .placements = {placement::none}});
  return worker;
}

campaign_plan plan_of(const std::string& study, const std::string& backend = "mine") {
  return fixtures::plan_on("core:4 pu:1", with_ops({}, study),
                           {fixtures::omp_worker(), worker_of(backend)});
}

TEST(user_ops_plan, a_lock_is_in_locks_shared_and_one_for_each_lane) {
  const campaign_plan plan = plan_of("locks");
  std::set<placement> seen;
  for (const planned_point* p : points_of(plan, "my_lock")) seen.insert(p->what.placement);
  EXPECT_THAT(seen, SizeIs(2));
  for (const planned_point* p : points_of(plan, "my_section"))
    EXPECT_EQ(p->what.placement, placement::shared);
  EXPECT_THAT(points_of(plan, "my_barrier"), IsEmpty());
}

TEST(user_ops_plan, a_barrier_is_in_barrier_and_cells_apart_in_false_sharing) {
  EXPECT_THAT(points_of(plan_of("barrier"), "my_barrier"), SizeIs(testing::Gt(3)));
  const campaign_plan apart = plan_of("false-sharing");
  std::set<unsigned> strides;
  for (const planned_point* p : points_of(apart, "my_lock")) strides.insert(p->what.stride);
  EXPECT_TRUE(strides.contains(1) && strides.contains(16) && strides.contains(1024));
  EXPECT_THAT(points_of(apart, "my_section"), IsEmpty()) << "it has no cells apart";
}

TEST(user_ops_plan, all_are_in_quick) {
  const campaign_plan plan = plan_of("quick");
  for (const char* op : {"my_lock", "my_section", "my_barrier"})
    EXPECT_THAT(points_of(plan, op), testing::Not(IsEmpty())) << op;
}

// A lock of this project that a study leaves out is left out on purpose.
TEST(user_ops_plan, ops_of_our_own_workers_are_taken_by_name_alone) {
  EXPECT_THAT(points_of(plan_of("locks", "std"), "my_lock"), IsEmpty());
}

// All lanes of many blocks would never get through a naive one.
TEST(user_ops_plan, a_lock_on_a_gpu_has_the_grids_of_locks) {
  worker_info worker = fixtures::cuda_worker();
  worker.name = "mine";
  worker.backends = {"mine"};
  worker.gpus = {{"mine", worker.gpus.at("cuda")}};
  worker.capabilities = {fixtures::gpu_row("my_lock", "critical", value_type::int32)};
  worker.capabilities.front().backend = "mine";
  worker.capabilities.front().placements = {placement::shared};
  const campaign_plan plan = fixtures::plan_on("core:4 pu:1", with_ops({}, "quick"), {worker});
  EXPECT_THAT(points_of(plan, "my_lock"), SizeIs(3));
  for (const planned_point* p : points_of(plan, "my_lock"))
    EXPECT_EQ(std::min(p->what.blocks, p->what.lanes), 1);
}

}  // namespace
}  // namespace syncmeter::user_ops_plan_test
