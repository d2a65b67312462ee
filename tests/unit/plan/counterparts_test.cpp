// Which points are counterparts of each other, and what is left of a plan when only they count.
#include "driver/plan/point_groups.hpp"

#include <algorithm>

#include <gmock/gmock.h>

#include "tests/unit/driver_fixtures.hpp"

namespace syncmeter::counterparts_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

// What an OpenMP worker offers, under another name and without one op.
worker_info portable_worker(const std::string& lacking = "critical_add") {
  worker_info worker = fixtures::omp_worker();
  worker.name = "raja";
  worker.backends = {"raja-openmp"};
  worker.native_of["raja-openmp"] = "omp";
  std::erase_if(worker.capabilities, [&](const capability& row) { return row.op == lacking; });
  for (capability& row : worker.capabilities) row.backend = "raja-openmp";
  return worker;
}

campaign_plan plan_of(const std::vector<worker_info>& workers) {
  const topology machine = topology::synthetic("core:2 pu:1");
  cpu_grant grant;
  for (const processing_unit& unit : machine.units()) grant.allowed.push_back(unit.os);
  run_options options;
  options.study = "portability";
  return make_plan(options, workers, machine, grant);
}

TEST(counterparts, differ_in_their_backend_and_in_what_one_api_alone_can_say) {
  point native = fixtures::atomic_add(2), portable = native;
  portable.backend = "raja-openmp";
  EXPECT_EQ(counterpart_key(native, false), counterpart_key(portable, false));
  native.flavour = flavour::atomic_ref;
  native.scope = scope::device;
  EXPECT_EQ(counterpart_key(native, true), counterpart_key(portable, true));
  EXPECT_NE(counterpart_key(native, true), counterpart_key(portable, false)) << "another device";
  portable.order = order::seq_cst;
  EXPECT_NE(counterpart_key(native, true), counterpart_key(portable, true));
}

TEST(counterparts, a_plan_keeps_what_both_sides_measure) {
  const campaign_plan plan = plan_of({fixtures::omp_worker(), portable_worker()});
  std::map<std::string, std::set<std::string>> backends;
  for (const planned_point& p : plan.points) {
    backends[p.what.op].insert(p.what.backend);
    for (const point& same : p.same_as) backends[same.op].insert(same.backend);
  }
  EXPECT_THAT(backends, testing::Not(testing::Contains(testing::Key("critical_add"))));
  for (const auto& [op, names] : backends)
    EXPECT_THAT(names, ElementsAre("omp", "raja-openmp")) << op;
  EXPECT_GT(backends.size(), 10U);
}

TEST(counterparts, one_side_alone_is_a_usage_error) {
  try {
    (void)plan_of({fixtures::omp_worker()});
    FAIL();
  } catch (const usage_error& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("no configuration is supported by both a native and a portable backend"));
    EXPECT_THAT(error.what(), HasSubstr("in use: omp;"));
  }
}

TEST(counterparts, stand_together_only_when_interleaved) {
  const campaign_plan plan = plan_of({fixtures::omp_worker(), portable_worker()});
  EXPECT_THAT(groups_of(plan, false), SizeIs(plan.points.size()));
  const auto groups = groups_of(plan, true);
  EXPECT_THAT(groups, SizeIs(plan.points.size() / 2));
  for (const auto& group : groups) {
    ASSERT_THAT(group, SizeIs(2));
    EXPECT_EQ(counterpart_key(plan.points[group[0]].what, false),
              counterpart_key(plan.points[group[1]].what, false));
  }
}

}  // namespace
}  // namespace syncmeter::counterparts_test
