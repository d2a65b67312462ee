// The points of the study false-sharing on synthetic machines, and the axis that it needs: where in
// a line an array begins.
#include <algorithm>
#include <map>
#include <set>

#include <gmock/gmock.h>

#include "driver/plan/placement_states.hpp"
#include "driver/plan/point_groups.hpp"
#include "driver/plan/study.hpp"
#include "driver/show/table.hpp"
#include "tests/unit/plan_fixtures.hpp"

namespace syncmeter::false_sharing_plan_test {
namespace {

using fixtures::plan_on;
using fixtures::points_of;
using fixtures::with_ops;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

worker_info worker_with_plain_ops() {
  worker_info worker = fixtures::omp_worker();
  const auto add = [&worker](const fixtures::op_shape& shape) {
    for (capability& row : fixtures::rows_of(shape)) worker.capabilities.push_back(std::move(row));
  };
  add({.op = "plain_add",
       .family = "memory",
       .types = fixtures::four_types,
       .placements = {placement::strided}});
  add({.op = "fence_between_stores",
       .family = "fence",
       .pairing = "insert",
       .types = fixtures::four_types,
       .placements = {placement::strided}});
  return worker;
}

campaign_plan study_on(const std::string& machine) {
  run_options options;
  options.study = "false-sharing";
  return plan_on(machine, options, {worker_with_plain_ops()});
}

TEST(false_sharing_plan, every_type_at_every_stride_from_both_base_offsets) {
  const campaign_plan plan = study_on("core:2 pu:1");
  std::map<std::pair<value_type, unsigned>, std::set<std::size_t>> strides;
  for (const planned_point* p : points_of(plan, "atomic_add")) {
    EXPECT_EQ(p->what.placement, placement::strided);
    if (p->what.lanes == 2)
      strides[{*p->what.type, p->what.base_offset}].insert(stride_bytes(p->what));
  }
  EXPECT_THAT(strides, SizeIs(4 * 2));
  for (const auto& [key, bytes] : strides) {
    if (size_of(key.first) == 4) {
      EXPECT_THAT(bytes, ElementsAre(4, 8, 16, 32, 64, 128, 256, apart_bytes));
    } else {
      EXPECT_THAT(bytes, ElementsAre(8, 16, 32, 64, 128, 256, apart_bytes));
    }
    EXPECT_TRUE(key.second == 0 || key.second == 32) << "half of hwloc's line";
  }
  fixtures::expect_no_point_twice(plan);
}

TEST(false_sharing_plan, other_ops_have_the_control_too) {
  const campaign_plan plan = study_on("core:2 pu:1");
  for (const char* op : {"atomic_write", "plain_add", "fence_between_stores"}) {
    std::set<std::size_t> bytes;
    for (const planned_point* p : points_of(plan, op)) {
      EXPECT_EQ(p->what.type, value_type::int32);
      if (p->what.lanes > 1) bytes.insert(stride_bytes(p->what));
    }
    EXPECT_THAT(bytes, ElementsAre(4, 32, 64, 128, apart_bytes)) << op;
  }
  EXPECT_THAT(points_of(plan, "atomic_read"), IsEmpty());
  EXPECT_THAT(points_of(plan, "barrier"), IsEmpty());
}

TEST(false_sharing_plan, equal_placements_are_measured_once) {
  const campaign_plan plan = study_on("core:2 pu:1");
  for (const planned_point& p : plan.points) {
    EXPECT_THAT(p.same_as, SizeIs(2)) << "close = spread = smt on two CPUs";
  }
  // One lane has one cell, whatever the stride.
  for (const char* op : {"atomic_add", "atomic_write", "plain_add", "fence_between_stores"}) {
    const auto points = points_of(plan, op);
    EXPECT_EQ(std::count_if(points.begin(), points.end(),
                            [](const auto* p) { return p->what.lanes == 1; }),
              1)
        << op;
  }
}

// What the study was made for: about a minute on 16 PUs, less on two.
TEST(false_sharing_plan, ends_in_time) {
  const campaign_plan small = study_on("core:2 pu:1");
  EXPECT_LT(small.predicted_s, 15);
  const campaign_plan large = study_on("package:2 core:4 pu:2");
  EXPECT_LT(large.predicted_s, 50);
  EXPECT_EQ(large.points.size(), 412U) << "as the README says";
  std::set<unsigned> lanes;
  std::set<affinity> affinities;
  for (const planned_point* p : points_of(large, "atomic_add")) {
    lanes.insert(p->what.lanes);
    affinities.insert(p->what.affinity);
  }
  EXPECT_THAT(lanes, ElementsAre(1, 2, 4, 8, 16));
  EXPECT_THAT(affinities, ElementsAre(affinity::close, affinity::spread, affinity::smt));
}

TEST(false_sharing_plan, one_processing_unit_has_one_lane) {
  for (const planned_point& p : study_on("core:1 pu:1").points) EXPECT_EQ(p.what.lanes, 1U);
}

TEST(false_sharing_plan, cells_apart_are_watched_as_near_ones_are) {
  const campaign_plan plan = study_on("core:2 pu:1");
  const std::vector<worker_info> workers{worker_with_plain_ops()};
  for (const planned_point& p : plan.points) {
    EXPECT_EQ(watched(p, workers, 64), p.what.lanes == 2) << canonical(p.what);
  }
  for (const planned_point& p : plan_on("core:2 pu:1", with_ops({"atomic_add"})).points)
    EXPECT_FALSE(p.watch_states);
}

TEST(false_sharing_plan, strides_of_one_op_are_visited_together) {
  const campaign_plan plan = study_on("core:2 pu:1");
  std::size_t points = 0;
  for (const auto& group : groups_of(plan, false)) {
    std::set<std::string> names;
    for (const std::size_t i : group) {
      point p = plan.points[i].what;
      p.stride = 0;
      p.base_offset = 0;
      names.insert(canonical(p));
    }
    EXPECT_THAT(names, SizeIs(1));
    points += group.size();
    const point& first = plan.points[group[0]].what;
    if (first.op == "atomic_add" && first.lanes == 2) {
      EXPECT_GE(group.size(), 14U) << "seven or eight strides from two offsets";
    }
  }
  EXPECT_EQ(points, plan.points.size());
  const campaign_plan quick = plan_on("core:2 pu:1", {});
  EXPECT_THAT(groups_of(quick, false), SizeIs(quick.points.size()));
}

TEST(false_sharing_plan, portable_backends_only_by_name) {
  worker_info portable = worker_with_plain_ops();
  portable.name = "kokkos";
  portable.backends = {"kokkos-openmp"};
  portable.native_of["kokkos-openmp"] = "omp";
  for (capability& row : portable.capabilities) row.backend = "kokkos-openmp";
  run_options options;
  options.study = "false-sharing";
  const auto backends = [&] {
    std::set<std::string> names;
    for (const planned_point& p :
         plan_on("core:2 pu:1", options, {worker_with_plain_ops(), portable}).points)
      names.insert(p.what.backend);
    return names;
  };
  EXPECT_THAT(backends(), ElementsAre("omp"));
  options.backends = {"omp", "kokkos-openmp"};
  EXPECT_THAT(backends(), ElementsAre("kokkos-openmp", "omp"));
}

TEST(false_sharing_plan, a_dry_run_says_what_is_left_out) {
  EXPECT_THAT(plan_text(study_on("core:2 pu:1")), HasSubstr("\nNot in this study: uint32"));
  EXPECT_THAT(plan_text(plan_on("core:2 pu:1", {})), testing::Not(HasSubstr("Not in this study")));
}

TEST(base_offset, is_an_axis_of_strided_cells_alone) {
  run_options options = with_ops({"atomic_add"});
  options.base_offsets = {0, 16};
  options.placements = {placement::shared, placement::strided};
  options.lanes = {{.named = count_range::symbol::max}};
  const campaign_plan plan = plan_on("core:2 pu:1", options);
  std::vector<std::string> names;
  for (const planned_point& p : plan.points) {
    names.push_back(placement_text(p.what));
    EXPECT_THAT(p.same_as, IsEmpty()) << "other variables are another configuration";
  }
  EXPECT_THAT(names, ElementsAre("shared", "strided 64 B", "strided 64 B from 16 B"));
}

TEST(base_offset, that_does_not_align_a_type_is_refused) {
  run_options options = with_ops({"atomic_add"});
  options.base_offsets = {4};
  options.types = {value_type::int32, value_type::float64};
  options.placements = {placement::strided};
  const campaign_plan plan = plan_on("core:2 pu:1", options);
  for (const planned_point& p : plan.points) EXPECT_EQ(p.what.type, value_type::int32);
  ASSERT_THAT(plan.refused, SizeIs(1));
  EXPECT_EQ(plan.refused[0].reason,
            "--base-offset 4: must be a multiple of the variable size, 8 B");
}

}  // namespace
}  // namespace syncmeter::false_sharing_plan_test
