// The predicted time of campaigns with made-up visits.
#include "driver/campaign/pace.hpp"

#include <gtest/gtest.h>

namespace syncmeter::pace_test {
namespace {

constexpr double exact = 1e-9;

// Planned for 10 s: 70 visits in each of three passes, and a worker that starts with each.
planned_pace ten_seconds() { return {.seconds = 10, .points = 70, .visits = 210, .starts = 3}; }

/// Adds so many visits, of which the first starts a worker.
void add_visits(pace& seen, int number, double visit_s, double start_s) {
  seen.add_start();
  seen.add_visit(start_s + visit_s, visit_s);
  for (int i = 1; i < number; ++i) seen.add_visit(visit_s, visit_s);
}

TEST(pace, is_the_plans_for_two_seconds) {
  pace seen(ten_seconds());
  EXPECT_NEAR(seen.left_s(210), 10, exact);
  EXPECT_NEAR(seen.left_s(21), 1, exact) << "a resumed campaign";
  add_visits(seen, 9, 0.1, 1);
  EXPECT_NEAR(seen.left_s(201), 10 * 201.0 / 210, exact);
  EXPECT_EQ(seen.corrected_s(24), std::nullopt);
}

TEST(pace, is_then_that_of_visits_and_starts) {
  pace seen(ten_seconds());
  add_visits(seen, 70, 0.1, 1);
  EXPECT_NEAR(seen.left_s(140), 140 * 0.1 + 2 * 1, exact) << "two passes";
}

TEST(pace, corrects_a_plan_that_is_more_than_a_third_off_once) {
  for (const double whole_s : {24.0, 6.0}) {
    pace seen(ten_seconds());
    add_visits(seen, 70, 0.1, 1);
    EXPECT_EQ(seen.corrected_s(13), std::nullopt);
    EXPECT_EQ(seen.corrected_s(7), std::nullopt);
    EXPECT_EQ(seen.corrected_s(whole_s), whole_s);
    EXPECT_EQ(seen.corrected_s(whole_s), std::nullopt);
  }
}

TEST(pace, of_points_that_were_not_visited_is_halfway_between_plan_and_visits) {
  pace seen(ten_seconds());
  add_visits(seen, 35, 0.1, 1);
  const double seen_s = 0.1 + 3.0 / 210, planned_s = 10.0 / 210;
  EXPECT_NEAR(seen.left_s(175), 175 * (seen_s + (planned_s - seen_s) / 4), exact);
}

TEST(pace, of_several_gpus_at_once_shares_what_is_left) {
  planned_pace plan = ten_seconds();
  plan.at_once = 2;
  pace seen(plan);
  add_visits(seen, 70, 0.1, 1);
  EXPECT_NEAR(seen.left_s(140), (140 * 0.1 + 2 * 1) / 2, exact);
}

}  // namespace
}  // namespace syncmeter::pace_test
