#include "driver/campaign/visit_request.hpp"

#include <gtest/gtest.h>

namespace syncmeter::visit_request_test {
namespace {

double early_precision(const planned_point& planned) {
  run_options options;
  options.precision = 0.02;
  return visit_request(planned, 1, options, {}).at("options").at("early_precision").get<double>();
}

TEST(visit_request, lets_visits_end_early_on_a_gpu_alone_and_not_where_costs_are_to_add_up) {
  planned_point planned;
  planned.visits = 3;
  EXPECT_EQ(early_precision(planned), 0) << "a CPU";
  planned.device = 0;
  EXPECT_DOUBLE_EQ(early_precision(planned), 0.002) << "a tenth of --precision";
  planned.additivity = true;
  EXPECT_EQ(early_precision(planned), 0) << "four sides of five rounds say little of their sums";
}

}  // namespace
}  // namespace syncmeter::visit_request_test
