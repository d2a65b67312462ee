// Which points are measured once for several.
#include "driver/plan/point_groups.hpp"

#include <gmock/gmock.h>

#include "driver/plan/plan.hpp"
#include "tests/unit/plan_fixtures.hpp"

namespace syncmeter::merge_test {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

using fixtures::expect_no_point_twice;
using fixtures::plan_on;
using fixtures::points_of;
using fixtures::with_ops;

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

TEST(plan, repeats_of_one_point_are_measured_each) {
  capability row;
  row.code = {"base", "test"};
  candidate once;
  once.row = &row;
  once.planned.pus = {0};
  once.planned.what.type = value_type::int32;
  once.planned.what.affinity = affinity::close;
  candidate again = once;
  again.planned.what.repeat = 1;
  EXPECT_THAT(merge_equal({once, again}), SizeIs(2));
  EXPECT_THAT(merge_equal({once, once}), SizeIs(1));
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
  options.lanes = {{.named = count_range::symbol::max}};
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
}  // namespace
}  // namespace syncmeter::merge_test
