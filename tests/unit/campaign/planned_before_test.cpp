// A resumed campaign is the one that was planned: what is missing of it is told, and nothing is
// added.
#include "driver/results/resume.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "driver/text/messages.hpp"
#include "tests/unit/driver_fixtures.hpp"

namespace syncmeter::planned_before_test {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

point at(const char* backend, unsigned lanes) {
  point what = fixtures::atomic_add();
  what.backend = backend;
  what.lanes = lanes;
  return what;
}

// So many points of `omp`, of two visits each.
campaign_plan plan_of(unsigned points) {
  campaign_plan plan;
  for (unsigned lanes = 1; lanes <= points; ++lanes) {
    planned_point planned;
    planned.what = at("omp", lanes);
    planned.visits = 2;
    plan.points.push_back(planned);
  }
  return plan;
}

// Planned with 2 points of omp and 2 of std, two visits each.
results_file file_of_two(const std::vector<json>& visits) {
  results_file file = fixtures::file_of(visits);
  file.campaign["plan"] = {
      {"points", 4},
      {"visits", 8},
      {"backends",
       {{"omp", {{"points", 2}, {"visits", 4}}}, {"std", {{"points", 2}, {"visits", 4}}}}}};
  return file;
}

TEST(planned_before, what_nothing_can_measure_now_is_told_by_backend) {
  const results_file file = file_of_two({});
  EXPECT_THAT(visits_missing(plan_of(2), file, {}),
              ElementsAre(HasSubstr("4 of the 4 repetitions of backend 'std'")));
  EXPECT_THAT(backends_planned(file), ElementsAre("omp", "std"));
}

TEST(planned_before, visits_that_the_file_has_are_not_missing) {
  std::vector<json> visits;
  for (const unsigned lanes : {1U, 2U}) {
    for (const unsigned n : {1U, 2U})
      visits.push_back(fixtures::visit(at("std", lanes), n, "ok", {{}}));
  }
  EXPECT_THAT(visits_missing(plan_of(2), file_of_two(visits), {}), IsEmpty());
  visits.pop_back();
  EXPECT_THAT(visits_missing(plan_of(2), file_of_two(visits), {}),
              ElementsAre(HasSubstr("1 of the 4 repetitions of backend 'std'")));
}

TEST(planned_before, a_visit_that_settles_its_point_stands_for_all) {
  const std::vector<json> visits{fixtures::visit(at("std", 1), 1, "too_slow", {}),
                                 fixtures::visit(at("std", 2), 1, "ok", {{}})};
  EXPECT_THAT(visits_missing(plan_of(2), file_of_two(visits), {}),
              ElementsAre(HasSubstr("1 of the 4 repetitions of backend 'std'")));
}

TEST(planned_before, points_that_the_file_had_not_are_refused) {
  const results_file file = file_of_two({});
  EXPECT_THAT([&] { (void)visits_missing(plan_of(3), file, {}); },
              ThrowsMessage<usage_error>(HasSubstr("2 configurations of backend 'omp'")));
  EXPECT_FALSE(has_more_points(plan_of(4), file));
  EXPECT_TRUE(has_more_points(plan_of(5), file));
}

}  // namespace
}  // namespace syncmeter::planned_before_test
