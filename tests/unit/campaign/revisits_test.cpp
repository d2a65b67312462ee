// Which points are visited again beyond the plan.
#include "driver/campaign/revisits.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "tests/unit/driver_fixtures.hpp"

namespace syncmeter::revisits_test {
namespace {

using fixtures::atomic_add;
using fixtures::estimate_values;
using testing::IsEmpty;
using testing::SizeIs;

const estimate_values quiet{}, busy{.busy = true};

planned_point planned(unsigned lanes, unsigned visits) {
  planned_point p;
  p.what = atomic_add(lanes);
  p.visits = visits;
  return p;
}

nlohmann::json visit(unsigned lanes, unsigned number, const estimate_values& state) {
  nlohmann::json line = fixtures::visit(atomic_add(lanes), number, "ok", {state});
  line["pus"] = {0};
  return line;
}

TEST(revisits, points_that_lack_most_quiet_visits_come_first) {
  const std::vector<planned_point> points{planned(1, 5), planned(2, 5), planned(3, 5)};
  revisits again(points);
  for (unsigned number = 1; number <= 5; ++number) {
    again.learn(read_visit(visit(1, number, number <= 2 ? quiet : busy)));
    again.learn(read_visit(visit(2, number, busy)));
    again.learn(read_visit(visit(3, number, number <= 3 ? quiet : busy)));
  }
  const auto lacking = again.lacking();
  ASSERT_THAT(lacking, SizeIs(2));
  EXPECT_EQ(lacking[0].point, 1U);
  EXPECT_EQ(lacking[0].visits, 3U);
  EXPECT_EQ(lacking[1].point, 0U);
  EXPECT_EQ(lacking[1].visits, 1U);
}

// Of a point with so many lanes, quiet throughout, with costs that differ by this share.
void learn_scattered(revisits& again, unsigned lanes, double share, unsigned visits = 5,
                     const nlohmann::json& members = {}) {
  for (unsigned number = 1; number <= visits; ++number) {
    nlohmann::json line =
        visit(lanes, number,
              {.cost = 2 * (1 + share * (number % 2 == 0 ? 1 : -1)), .low = 0.1, .high = 9});
    if (members.is_object()) line.update(members);
    again.learn(read_visit(line));
  }
}

TEST(revisits, points_of_wide_intervals_come_before_those_that_only_lack_quiet_visits) {
  const std::vector<planned_point> points{planned(1, 5), planned(2, 5), planned(3, 5),
                                          planned(4, 5)};
  revisits again(points);
  learn_scattered(again, 1, 0.01);
  learn_scattered(again, 2, 0.1);
  learn_scattered(again, 3, 0.4);
  for (unsigned number = 1; number <= 5; ++number) again.learn(read_visit(visit(4, number, busy)));
  const auto lacking = again.lacking();
  ASSERT_THAT(lacking, SizeIs(3));
  EXPECT_EQ(lacking[0].point, 2U);
  EXPECT_NEAR(lacking[0].error, 0.4, 0.3);
  EXPECT_EQ(lacking[0].visits, 0U);
  EXPECT_EQ(lacking[1].point, 1U);
  EXPECT_EQ(lacking[2].point, 3U);
  EXPECT_EQ(lacking[2].visits, 3U);
}

TEST(revisits, precision_is_asked_of_gpus_too_but_not_without_end) {
  std::vector<planned_point> points{planned(1, 3), planned(2, 3), planned(3, 2)};
  points[0].device = points[1].device = points[2].device = 0;
  revisits again(points);
  learn_scattered(again, 1, 0.2, 8, {{"device", 0}});
  learn_scattered(again, 2, 0.2, 9, {{"device", 0}});
  learn_scattered(again, 3, 0.2, 2, {{"device", 0}});
  const auto lacking = again.lacking();
  ASSERT_THAT(lacking, SizeIs(1)) << "nine visits are three times the planned ones";
  EXPECT_EQ(lacking[0].point, 0U);
}

TEST(revisits, lanes_alone_are_as_precise_as_their_cycles) {
  const std::vector<planned_point> points{planned(1, 5)};
  revisits again(points);
  for (unsigned number = 1; number <= 5; ++number) {
    nlohmann::json line =
        visit(1, number, {.cost = number % 2 == 0 ? 2.0 : 3.0, .low = 1, .high = 9});
    line["estimates"][0]["cost_cycles"] = {{"value", 8}, {"low", 8}, {"high", 8}};
    again.learn(read_visit(line));
  }
  EXPECT_THAT(again.lacking(), IsEmpty());
}

TEST(revisits, placements_are_classes_of_hops_of_the_points_that_meet) {
  const std::vector<planned_point> points{planned(1, 3), planned(2, 3), planned(3, 3)};
  revisits again(points);
  const auto learn = [&](unsigned lanes, unsigned number, double hop_ns) {
    nlohmann::json line = visit(lanes, number, quiet);
    line["estimates"][0]["hop_ns"] = hop_ns;
    again.learn(read_visit(line));
  };
  learn(1, 1, 0);
  EXPECT_EQ(again.meeting().placements, 0U);
  EXPECT_THAT(again.meeting().points, IsEmpty());
  learn(2, 1, 54);
  learn(2, 2, 55);
  learn(3, 1, 150);
  learn(2, 3, 240);
  learn(2, 4, 240);
  EXPECT_EQ(again.meeting().placements, 1U) << "hops of another number of lanes are not compared "
                                               "with these; two visits have no row";
  EXPECT_THAT(again.meeting().points, SizeIs(2));
  learn(2, 5, 240);
  learn(2, 6, 55);
  EXPECT_EQ(again.meeting().placements, 2U);
}

TEST(revisits, who_asks_for_few_visits_gets_no_more_on_a_quiet_machine) {
  const std::vector<planned_point> points{planned(1, 2)};
  revisits again(points);
  again.learn(read_visit(visit(1, 1, quiet)));
  again.learn(read_visit(visit(1, 2, quiet)));
  EXPECT_THAT(again.lacking(), IsEmpty());
}

TEST(revisits, a_point_that_failed_stays_as_it_is) {
  const std::vector<planned_point> points{planned(1, 3)};
  revisits again(points);
  again.learn(read_visit(visit(1, 1, busy)));
  nlohmann::json lost = visit(1, 2, busy);
  lost["estimates"] = nlohmann::json::array();
  again.learn(read_visit(lost));
  EXPECT_THAT(again.lacking(), IsEmpty());
}

TEST(revisits, a_gpus_point_and_a_lost_visit_ask_for_nothing) {
  std::vector<planned_point> points{planned(1, 3), planned(2, 3)};
  points[0].device = 0;
  revisits again(points);
  nlohmann::json on_gpu = visit(1, 1, busy);
  on_gpu["device"] = 0;
  again.learn(read_visit(on_gpu));
  nlohmann::json lost = visit(2, 1, busy);
  lost["estimates"] = nlohmann::json::array();
  again.learn(read_visit(lost));
  EXPECT_THAT(again.lacking(), IsEmpty());
}

}  // namespace
}  // namespace syncmeter::revisits_test
