// What a visit says of its op, so that a reader need not know it.
#include "core/worker/visit_json.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace syncmeter::visit_json_test {
namespace {

TEST(visit_json, says_what_its_op_is) {
  const op_info info{.name = "ring", .family = family::reduction, .cost_per_lane = true};
  const auto line = to_visit_json({}, info);
  EXPECT_EQ(line.at("family"), "reduction");
  EXPECT_EQ(line.at("pairing"), "self");
  EXPECT_EQ(line.at("cost_per_lane"), true);
  EXPECT_EQ(to_visit_json({}, {.name = "between", .pairing = pairing::insert}).at("pairing"),
            "insert");
}

TEST(visit_json, says_nothing_of_an_op_that_the_worker_does_not_have) {
  EXPECT_FALSE(to_visit_json({}, {}).contains("family"));
}

TEST(visit_json, has_cycles_only_where_they_are_counted) {
  visit_result result;
  result.estimates.resize(2);
  result.estimates[1].cost_cycles = {14, 13, 15};
  const auto estimates = to_visit_json(result, {.name = "ring"}).at("estimates");
  EXPECT_FALSE(estimates[0].contains("cost_cycles"));
  EXPECT_EQ(estimates[1].at("cost_cycles").at("value"), 14);
}

}  // namespace
}  // namespace syncmeter::visit_json_test
