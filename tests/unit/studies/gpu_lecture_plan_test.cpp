// Which points the studies of divergence, of coalescing and of accumulation make, and that no other
// study has them.
#include <gmock/gmock.h>

#include "driver/plan/plan.hpp"
#include "tests/unit/gpu_fixtures.hpp"
#include "tests/unit/plan_fixtures.hpp"

namespace syncmeter::gpu_lecture_plan_test {
namespace {

using fixtures::what_of;
using testing::Each;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

worker_info lecture_worker() {
  worker_info worker = fixtures::cuda_worker();
  const auto add = [&worker](const std::string& op, const char* size_of = "", unsigned size = 0) {
    worker.capabilities.push_back(fixtures::gpu_row(op, "warp"));
    worker.capabilities.back().size_of = size_of;
    worker.capabilities.back().size = size;
    worker.capabilities.back().in_quick = false;
  };
  add("branch_uniform");
  add("branch_in_warp", "paths of a warp");
  add("branch_across_warps", "paths of a block");
  for (const unsigned size : {1U, 2U, 4U, 8U, 16U, 32U})
    add("branch_predicated", "alternatives", size);
  for (const char* level : {"", "_l2"}) {
    add(std::string("load_coalesced") + level);
    add(std::string("load_latency_coalesced") + level);
    add(std::string("load_strided") + level, "words");
    add(std::string("load_latency_misaligned") + level, "bytes");
  }
  add("bank_conflict", "lanes of a bank");
  for (const char* way : {"atomic", "cas", "cas_double", "block", "block_by_bulk"})
    add(std::string("accumulate_") + way, "distinct addresses");
  return worker;
}

campaign_plan plan_of(const char* study) {
  return fixtures::plan_of_study(study, lecture_worker());
}

TEST(lecture_studies, branches_of_a_warp_alone_of_a_block_and_of_all_blocks) {
  const campaign_plan plan = plan_of("divergence");
  EXPECT_THAT(plan.refused, IsEmpty());
  EXPECT_THAT(what_of(plan, "branch_uniform"), SizeIs(3));
  EXPECT_THAT(what_of(plan, "branch_predicated"), SizeIs(3 * 6));
  EXPECT_THAT(what_of(plan, "branch_in_warp"), SizeIs(10 + 2 * 6));
  const auto across = what_of(plan, "branch_across_warps");
  EXPECT_THAT(across, SizeIs(2 * 6)) << "a block of one warp has nothing to part";
  EXPECT_THAT(across, Each(testing::Field(&point::lanes, 1024U)));
  EXPECT_LT(plan.predicted_s, 30) << "half a minute";
}

TEST(lecture_studies, loads_fill_the_device_and_latencies_are_of_one_warp) {
  const campaign_plan plan = plan_of("coalescing");
  EXPECT_THAT(plan.refused, IsEmpty());
  const auto strided = what_of(plan, "load_strided_l2");
  EXPECT_THAT(strided, SizeIs(14));
  EXPECT_THAT(strided, Each(testing::Field(&point::blocks, 20U)));
  const auto latency = what_of(plan, "load_latency_coalesced");
  ASSERT_THAT(latency, SizeIs(1));
  EXPECT_EQ(latency[0].blocks * latency[0].lanes, 32U);
  EXPECT_THAT(what_of(plan, "load_latency_misaligned"), SizeIs(2));
  EXPECT_THAT(what_of(plan, "bank_conflict"), SizeIs(8));
  EXPECT_THAT(what_of(plan, "atomic_add"), SizeIs(9)) << "strided cells, int32";
  EXPECT_LT(plan.predicted_s, 30) << "half a minute";
}

TEST(lecture_studies, floats_are_added_by_one_block_and_by_all_to_one_address_and_to_one_each) {
  const campaign_plan plan = plan_of("accumulate");
  EXPECT_THAT(plan.refused, IsEmpty());
  const auto sizes = [&plan](const std::string& op, unsigned blocks) {
    std::vector<unsigned> found;
    for (const point& p : what_of(plan, op))
      if (p.blocks == blocks) found.push_back(p.size);
    return found;
  };
  using testing::UnorderedElementsAre;
  for (const char* op : {"accumulate_atomic", "accumulate_cas", "accumulate_block"})
    EXPECT_THAT(sizes(op, 1), UnorderedElementsAre(1, 32, 1024)) << op;
  EXPECT_THAT(sizes("accumulate_atomic", 10), UnorderedElementsAre(1, 32, 1024, 32768, 1 << 20));
  for (const char* op : {"accumulate_cas", "accumulate_cas_double"})
    EXPECT_THAT(sizes(op, 10), UnorderedElementsAre(1024, 32768, 1 << 20)) << op;
  EXPECT_THAT(sizes("accumulate_block_by_bulk", 10), UnorderedElementsAre(1, 32, 1024));
  EXPECT_LT(plan.predicted_s, 60);
}

TEST(lecture_studies, other_studies_leave_them_out) {
  for (const char* study : {"quick", "scaling", "control"}) {
    for (const planned_point& p : plan_of(study).points) {
      EXPECT_THAT(p.what.op, Not(StartsWith("branch_"))) << study;
      EXPECT_THAT(p.what.op, Not(StartsWith("load_"))) << study;
      EXPECT_THAT(p.what.op, Not(StartsWith("bank_"))) << study;
      EXPECT_THAT(p.what.op, Not(StartsWith("accumulate_"))) << study;
    }
  }
}

}  // namespace
}  // namespace syncmeter::gpu_lecture_plan_test
