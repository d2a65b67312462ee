// What is taken from the visits of workers: a visit that failed is no measurement.
#include "driver/advise/equal_meetings.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/unit/driver_fixtures.hpp"

namespace syncmeter {
namespace {

TEST(cost_of_visit, a_visit_without_an_estimate_is_no_measurement_and_says_why) {
  exchange_outcome outcome;
  outcome.line = fixtures::visit(fixtures::atomic_add(1), 1, "too_slow", {});
  outcome.line["reason"] = "one trip takes longer than 0.1 s";
  const visit_cost slow = cost_of_visit(outcome);
  EXPECT_FALSE(slow.cost_ns);
  EXPECT_EQ(slow.problem, "one trip takes longer than 0.1 s");
  outcome.line = fixtures::visit(fixtures::atomic_add(1), 1, "ok", {{}});
  EXPECT_TRUE(cost_of_visit(outcome).cost_ns);
  outcome.what = exchange_outcome::kind::crashed;
  outcome.reason = "it died";
  const visit_cost dead = cost_of_visit(outcome);
  EXPECT_FALSE(dead.cost_ns);
  EXPECT_EQ(dead.problem, "it died");
}

}  // namespace
}  // namespace syncmeter
