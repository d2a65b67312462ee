// The points of the study waiting: every way at every lateness, and the barriers of the runtimes.
#include <set>

#include <gmock/gmock.h>

#include "tests/unit/plan_fixtures.hpp"

namespace syncmeter::waiting_plan_test {
namespace {

using fixtures::plan_on;
using fixtures::points_of;
using fixtures::values;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

worker_info worker_of(const std::string& backend, const std::vector<std::string>& late_ops) {
  worker_info worker = fixtures::omp_worker();
  for (const std::string& op : late_ops) {
    for (capability& row :
         fixtures::rows_of({.op = op, .family = "handoff", .pairing = "insert", .min_lanes = 2})) {
      row.arrives_late = true;
      row.in_quick = false;
      worker.capabilities.push_back(std::move(row));
    }
  }
  worker.name = backend;
  worker.backends = {backend};
  for (capability& row : worker.capabilities) row.backend = backend;
  return worker;
}

worker_info beside_worker() {
  worker_info worker = worker_of("own", {});
  for (capability& row : fixtures::rows_of({.op = "work_beside_spin", .family = "handoff"})) {
    row.backend = "own";
    row.in_quick = false;
    worker.capabilities.push_back(std::move(row));
  }
  return worker;
}

campaign_plan study_on(const std::string& machine, const std::string& study) {
  run_options options;
  options.study = study;
  return plan_on(machine, options,
                 {worker_of("omp", {"barrier_late"}), worker_of("std", {"wait_atomic"}),
                  worker_of("posix", {"wait_spin", "wait_futex"})});
}

TEST(waiting_plan, every_way_at_every_lateness_with_one_waiting_lane) {
  const campaign_plan plan = study_on("core:4 pu:1", "waiting");
  for (const char* op : {"wait_spin", "wait_futex", "wait_atomic"}) {
    const auto points = points_of(plan, op);
    EXPECT_THAT(points, SizeIs(5)) << op;
    EXPECT_THAT(values(points, &point::late_us), ElementsAre(1, 10, 100, 1000, 10'000));
    EXPECT_THAT(values(points, &point::lanes), ElementsAre(2));
  }
  fixtures::expect_no_point_twice(plan);
}

TEST(waiting_plan, the_runtimes_wait_in_both_of_their_ways) {
  const campaign_plan plan = study_on("core:4 pu:1", "waiting");
  const auto points = points_of(plan, "barrier_late");
  EXPECT_THAT(points, SizeIs(5 * 2));
  EXPECT_THAT(values(points, &point::wait), ElementsAre(wait_policy::active, wait_policy::passive));
}

TEST(waiting_plan, work_is_measured_alone_and_beside_a_lane_on_each_kind_of_core) {
  run_options options;
  options.study = "waiting";
  options.backends = {"own"};
  const campaign_plan plan = plan_on("core:4 pu:2", options, {beside_worker()});
  std::set<std::pair<unsigned, affinity>> seen;
  for (const planned_point* p : points_of(plan, "work_beside_spin"))
    seen.emplace(p->what.lanes, p->what.affinity);
  EXPECT_THAT(seen, ElementsAre(std::pair(1U, affinity::close), std::pair(2U, affinity::close),
                                std::pair(2U, affinity::smt)));
}

TEST(waiting_plan, quick_leaves_ways_of_waiting_out) {
  run_options options;
  options.study = "quick";
  options.backends = {"posix", "own"};
  const campaign_plan plan =
      plan_on("core:4 pu:1", options, {worker_of("posix", {"wait_spin"}), beside_worker()});
  EXPECT_THAT(points_of(plan, "barrier"), Not(IsEmpty()));
  EXPECT_THAT(points_of(plan, "wait_spin"), IsEmpty());
  EXPECT_THAT(points_of(plan, "work_beside_spin"), IsEmpty());
}

}  // namespace
}  // namespace syncmeter::waiting_plan_test
