// Which points the study of widths makes: what a full device cannot do in time is left out.
#include <set>

#include <gmock/gmock.h>

#include "driver/plan/plan.hpp"
#include "driver/show/table.hpp"
#include "tests/unit/gpu_fixtures.hpp"
#include "tests/unit/plan_fixtures.hpp"

namespace syncmeter::widths_plan_test {
namespace {

using fixtures::what_of;
using testing::Each;
using testing::Field;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

worker_info width_worker() {
  worker_info worker = fixtures::cuda_worker();
  const auto add = [&worker](const std::string& op, flavour by, std::vector<scope> scopes) {
    capability row = fixtures::gpu_row(op, "atomic");
    row.placements = {placement::strided};
    row.order = order::relaxed;
    row.flavour = by;
    row.in_quick = false;
    row.space = space::global;
    for (const scope s : scopes) {
      row.scope = s;
      worker.capabilities.push_back(row);
    }
    row.scope = scope::device;
    row.space = space::shared_memory;
    worker.capabilities.push_back(row);
  };
  const std::vector<scope> all{scope::device, scope::block, scope::system};
  add("add_f16", flavour::function, {scope::device});
  add("add_f16x2", flavour::ptx, all);
  add("add_u8", flavour::function, {scope::device});
  add("exchange_b64", flavour::function, all);
  return worker;
}

campaign_plan plan_of(const char* study) { return fixtures::plan_of_study(study, width_worker()); }

TEST(widths_study, instructions_go_from_one_lane_to_a_full_device_in_each_memory) {
  const campaign_plan plan = plan_of("widths");
  EXPECT_THAT(plan.refused, IsEmpty());
  for (const char* op : {"add_f16x2", "exchange_b64"}) {
    std::vector<point> of_device, others;
    for (const point& p : what_of(plan, op))
      (p.scope == scope::device ? of_device : others).push_back(p);
    // Four launches on one cell and on own cells, and cells apart, in each of two memories.
    EXPECT_THAT(of_device, SizeIs(2 * (4 * 2 + 1))) << op;
    EXPECT_THAT(others, SizeIs(2)) << "block and system";
    EXPECT_THAT(others, Each(Field(&point::blocks, 10U)));
    EXPECT_THAT(others, Each(Field(&point::stride, 1U)));
  }
}

TEST(widths_study, a_full_device_never_swaps_its_way_into_one_cell) {
  const campaign_plan plan = plan_of("widths");
  for (const char* op : {"add_f16", "add_u8"}) {
    unsigned one_cell = 0;
    for (const point& p : what_of(plan, op)) {
      if (p.stride != 0) continue;
      EXPECT_EQ(p.blocks, 1U) << op;
      ++one_cell;
    }
    EXPECT_EQ(one_cell, 2 * 3U) << op;
  }
  EXPECT_THAT(plan.left_out, testing::HasSubstr("compare-and-swap"));
}

TEST(widths_study, cells_of_no_type_are_told_apart_by_elements) {
  std::set<std::string> names;
  for (const point& p : what_of(plan_of("widths"), "add_f16x2")) names.insert(placement_text(p));
  EXPECT_THAT(names, testing::ElementsAre("one variable, by data", "strided 1", "strided 16"));
}

TEST(widths_study, other_studies_leave_them_out) {
  for (const char* study : {"quick", "atomics", "scaling", "defaults"}) {
    for (const planned_point& p : plan_of(study).points) {
      EXPECT_THAT(p.what.op, Not(StartsWith("add_"))) << study;
      EXPECT_THAT(p.what.op, Not(StartsWith("exchange_"))) << study;
    }
  }
}

}  // namespace
}  // namespace syncmeter::widths_plan_test
