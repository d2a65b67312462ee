// Affinity quiet in a plan: where its lanes are, what is said of that, and who may not use it.
#include <gmock/gmock.h>

#include "driver/plan/pinned_lanes.hpp"
#include "driver/plan/study.hpp"
#include "tests/unit/plan_fixtures.hpp"

namespace syncmeter::quiet_plan_test {
namespace {

using fixtures::all_of;
using fixtures::mistake;
using fixtures::omp_worker;
using fixtures::with_ops;
using testing::ElementsAre;
using testing::HasSubstr;

run_options quietly(const std::string& study = "quick") {
  run_options options = with_ops({"atomic_add"}, study);
  options.affinities = {affinity::quiet};
  options.placements = {placement::shared};
  return options;
}

campaign_plan plan_on(const topology& machine, const run_options& options) {
  return make_plan(options, {omp_worker()}, machine, all_of(machine));
}

TEST(quiet_plan, puts_lanes_on_pus_that_were_not_busy) {
  topology machine = topology::synthetic("package:1 core:4 pu:1");
  machine.avoid({{0, 0.97}, {2, 0.5}});
  run_options options = quietly();
  options.lanes = {{.first = 1, .last = 2}};
  const campaign_plan plan = plan_on(machine, options);
  ASSERT_EQ(plan.points.size(), 2U);
  EXPECT_EQ(plan.points[0].what.affinity, affinity::quiet);
  EXPECT_THAT(plan.points[0].pus, ElementsAre(1));
  EXPECT_THAT(plan.points[1].pus, ElementsAre(1, 3));
  EXPECT_THAT(
      placement_notes(plan, machine),
      ElementsAre("quiet: others slowed CPUs 0 (97 %), 2 (50 %) when the run began; threads are "
                  "elsewhere where there is room"));
}

TEST(quiet_plan, is_one_measurement_with_close_where_every_pu_is_needed) {
  topology machine = topology::synthetic("package:1 core:2 pu:1");
  machine.avoid({{0, 0.97}});
  run_options options = quietly();
  options.affinities = {affinity::close, affinity::quiet};
  options.lanes = {{.first = 2, .last = 2}};
  const campaign_plan plan = plan_on(machine, options);
  ASSERT_EQ(plan.points.size(), 1U);
  EXPECT_EQ(plan.points[0].same_as.size(), 1U);
}

TEST(quiet_plan, says_that_nothing_was_busy_or_that_nobody_looked) {
  topology machine = topology::synthetic("package:1 core:2 pu:1");
  const campaign_plan plan = plan_on(machine, quietly());
  EXPECT_THAT(placement_notes(plan, machine),
              ElementsAre(HasSubstr("a probe at the start of the run chooses the CPUs")));
  machine.avoid({});
  EXPECT_THAT(placement_notes(plan, machine), ElementsAre(HasSubstr("no CPU was busy")));
}

TEST(quiet_plan, is_refused_by_studies_that_compare_placements) {
  for (const study& s : studies()) {
    if (s.rules.empty()) continue;
    const bool refused =
        mistake(quietly(std::string(s.name)), {omp_worker()}).starts_with("--affinity: quiet");
    EXPECT_EQ(refused, compares_placements(s)) << s.name;
  }
  EXPECT_THAT(mistake(quietly("scaling"), {omp_worker()}),
              HasSubstr("quiet is not allowed in study 'scaling', which compares placements; it is "
                        "in quick, control"));
  EXPECT_TRUE(compares_placements(*find_study("core-to-core")));
  EXPECT_TRUE(compares_placements(*find_study("contention")));
  EXPECT_FALSE(compares_placements(*find_study("quick")));
}

}  // namespace
}  // namespace syncmeter::quiet_plan_test
