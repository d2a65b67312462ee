// The studies of locks held for a while and of read-mostly data: which points they are made of.
#include <gmock/gmock.h>

#include <vector>

#include "tests/unit/plan_fixtures.hpp"

namespace syncmeter::read_mostly_plan_test {
namespace {

using fixtures::plan_on;
using fixtures::points_of;
using fixtures::values;
using fixtures::with_ops;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<worker_info> worker_that_holds_and_reads() {
  const auto change = [](capability& row) {
    row.holds_lock = row.op == "my_lock_held";
    row.reads_and_writes = !row.holds_lock;
    if (row.reads_and_writes) row.size_of = "bytes of the datum";
  };
  return {fixtures::worker_with("std", {"my_lock_held", "my_read_mostly"}, "critical", change)};
}

TEST(locks_plan, sections_are_held_by_all_lanes_and_by_one_more_on_request) {
  run_options options = with_ops({}, "locks");
  auto plan = plan_on("core:4 pu:1", options, worker_that_holds_and_reads());
  auto held = points_of(plan, "my_lock_held");
  EXPECT_THAT(values(held, &point::section_ns), ElementsAre(0, 50, 500));
  EXPECT_THAT(values(held, &point::think_ns), ElementsAre(0, 500));
  EXPECT_THAT(values(held, &point::lanes), ElementsAre(4));
  EXPECT_THAT(points_of(plan, "my_read_mostly"), IsEmpty());
  options.oversubscribe = true;
  plan = plan_on("core:4 pu:1", options, worker_that_holds_and_reads());
  held = points_of(plan, "my_lock_held");
  EXPECT_THAT(values(held, &point::lanes), ElementsAre(4, 5));
  options.sections_ns = {70};
  options.thinks_ns = {9};
  plan = plan_on("core:4 pu:1", options, worker_that_holds_and_reads());
  held = points_of(plan, "my_lock_held");
  EXPECT_THAT(values(held, &point::section_ns), ElementsAre(70));
  EXPECT_THAT(values(held, &point::think_ns), ElementsAre(9));
}

TEST(read_mostly_plan, crosses_ratios_with_lanes_and_sizes_at_one_ratio) {
  run_options options = with_ops({}, "read-mostly");
  auto plan = plan_on("core:4 pu:1", options, worker_that_holds_and_reads());
  auto read = points_of(plan, "my_read_mostly");
  EXPECT_THAT(values(read, &point::reads_per_write),
              ElementsAre(1, 10, 100, 1000, 10'000, 100'000));
  EXPECT_THAT(values(read, &point::size), ElementsAre(8, 64, 256));
  EXPECT_THAT(values(read, &point::lanes), ElementsAre(1, 2, 4));
  EXPECT_EQ(read.size(), 3U * (6 + 2));
  EXPECT_THAT(points_of(plan, "my_lock_held"), IsEmpty());
  EXPECT_LT(plan.predicted_s, 60);
  options.reads_per_write = {7};
  plan = plan_on("core:4 pu:1", options, worker_that_holds_and_reads());
  EXPECT_THAT(values(points_of(plan, "my_read_mostly"), &point::reads_per_write), ElementsAre(7));
}

}  // namespace
}  // namespace syncmeter::read_mostly_plan_test
