// The points of the study handoff.
#include <algorithm>

#include <gmock/gmock.h>

#include "driver/plan/gpu_plan.hpp"
#include "tests/unit/driver_fixtures.hpp"
#include "tests/unit/gpu_fixtures.hpp"

namespace syncmeter::handoff_study_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

worker_info handoff_worker() {
  worker_info worker = fixtures::cuda_worker();
  for (const char* op : {"warp_handoff", "sm_handoff", "handoff_chain"}) {
    for (const scope s : {scope::device, scope::block, scope::system}) {
      capability row = fixtures::gpu_row(op, "handoff");
      row.in_quick = false;
      row.min_lanes = 2;
      row.communicates = true;
      row.flavour = flavour::ptx;
      row.order = order::acq_rel;
      row.scope = s;
      if (row.op == "sm_handoff") row.size_of = "which multiprocessor";
      worker.capabilities.push_back(row);
    }
  }
  capability by_object = fixtures::gpu_row("mbarrier_handoff", "handoff");
  by_object.min_lanes = 2;
  by_object.order = order::acq_rel;
  by_object.scope = scope::block;
  worker.capabilities.push_back(by_object);
  for (const char* op : {"bulk_handoff", "red_async_handoff"}) {
    capability carried = by_object;
    carried.op = op;
    carried.order = order::relaxed;
    carried.scope = scope::cluster;
    carried.size_of = "blocks of a cluster";
    worker.capabilities.push_back(carried);
  }
  return worker;
}

std::vector<point> planned(const std::string& study, const std::string& op) {
  run_options options;
  options.study = study;
  const topology machine = topology::synthetic("core:2 pu:1");
  const campaign_plan plan = make_plan(options, {handoff_worker()}, machine, {});
  std::vector<point> points;
  for (const planned_point& p : plan.points) {
    if (p.what.op == op) points.push_back(p.what);
  }
  return points;
}

TEST(handoff_plan, across_blocks_no_form_of_a_block) {
  std::vector<std::string> all;
  for (const point& p : planned("handoff", "warp_handoff"))
    all.push_back(fmt::format("{}x{} {}", p.blocks, p.lanes, to_text(p.scope)));
  EXPECT_THAT(
      all, ElementsAre("1x64 device", "1x64 block", "1x64 system", "10x32 device", "10x32 system"));
}

TEST(handoff_plan, objects_hand_on_where_a_flag_does) {
  const std::vector<point> in_block = planned("handoff", "mbarrier_handoff");
  ASSERT_THAT(in_block, SizeIs(1));
  EXPECT_EQ(std::pair(in_block[0].blocks, in_block[0].lanes), std::pair(1U, 64U));
}

TEST(handoff_plan, what_carries_a_token_goes_through_a_cluster_of_two) {
  for (const char* op : {"bulk_handoff", "red_async_handoff"}) {
    std::vector<std::string> all;
    for (const point& p : planned("handoff", op))
      all.push_back(fmt::format("{}x{} in clusters of {}", p.blocks, p.lanes, p.size));
    EXPECT_THAT(all, ElementsAre("2x32 in clusters of 2")) << op;
  }
}

TEST(handoff_plan, pairs_are_of_one_form_and_many_partners) {
  const std::vector<point> pairs = planned("handoff", "sm_handoff");
  EXPECT_THAT(pairs, SizeIs(24));
  EXPECT_EQ(pairs.front().size, 1U);
  EXPECT_TRUE(std::ranges::all_of(pairs, [](const point& p) {
    return p.blocks == 2 && p.lanes == 32 && p.scope == scope::device;
  }));
}

TEST(handoff_plan, other_studies_leave_them_out) {
  for (const char* op : {"warp_handoff", "sm_handoff", "handoff_chain"})
    EXPECT_THAT(planned("quick", op), IsEmpty()) << op;
  EXPECT_THAT(planned("quick", "handoff"), Not(IsEmpty()));
}

}  // namespace
}  // namespace syncmeter::handoff_study_test
