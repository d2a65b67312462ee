// Visits of a GPU's point that agree are one sample; those that do not are not.
#include "driver/results/estimate.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "tests/unit/driver_fixtures.hpp"

namespace syncmeter::pooled_rounds_test {
namespace {

using nlohmann::json;

// 21 rounds whose costs are `first`, `first` + 0.1, ... ns an op: 2 trips of 5 steps of one op.
json visit_from(double first, unsigned number = 1) {
  std::vector<fixtures::estimate_values> estimate{
      {.rounds = 21, .cost = first + 1, .low = first + 0.5, .high = first + 1.5}};
  auto visit = fixtures::visit(fixtures::atomic_add(32), number, "ok", estimate);
  visit["trips"] = 2;
  visit["unroll"] = 5;
  visit["ops_per_step"] = 1;
  visit["rounds"] = json::array();
  for (int i = 0; i < 21; ++i)
    visit["rounds"].push_back({100.0, 100.0 + 10 * (first + 0.1 * i), 0, false});
  return visit;
}

std::optional<interval> pooled(const std::vector<json>& visits, unsigned workers = 1) {
  const results_file file = fixtures::file_of(visits);
  std::vector<const visit_record*> all;
  for (const visit_record& visit : file.visits) all.push_back(&visit);
  return pooled_interval(all, workers);
}

// Of 63 values the exact 95 % interval is from the 24th to the 40th (Conover, table A3).
TEST(pooled_rounds, agreeing_visits_give_the_exact_interval_of_all_rounds) {
  const auto found = pooled({visit_from(3), visit_from(3), visit_from(3)});
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->value, 4, 1e-9);
  EXPECT_NEAR(found->low, 3.7, 1e-9);
  EXPECT_NEAR(found->high, 4.3, 1e-9);
}

TEST(pooled_rounds, visits_that_disagree_are_left_to_students_t) {
  EXPECT_TRUE(pooled({visit_from(3), visit_from(3.9)}));
  EXPECT_FALSE(pooled({visit_from(3), visit_from(4.1)}));
}

TEST(pooled_rounds, are_never_surer_than_the_visits_are_alike) {
  const auto found = pooled({visit_from(3), visit_from(3.9), visit_from(3.9)});
  ASSERT_TRUE(found);
  EXPECT_DOUBLE_EQ(found->low, 4);
  EXPECT_GE(found->high, 4.9);
}

TEST(pooled_rounds, one_visit_or_one_without_rounds_pools_nothing) {
  EXPECT_FALSE(pooled({visit_from(3)}));
  json bare = visit_from(3);
  bare.erase("rounds");
  EXPECT_FALSE(pooled({visit_from(3), bare}));
}

TEST(pooled_rounds, what_passes_from_lane_to_lane_is_shared_by_them) {
  json a = visit_from(3), b = visit_from(3);
  a["cost_per_lane"] = b["cost_per_lane"] = true;
  const auto found = pooled({a, b}, 4);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->value, 1, 1e-9);
}

TEST(pooled_rounds, narrow_a_gpus_interval_and_no_cpus) {
  std::vector<json> visits;
  for (unsigned n = 1; n <= 3; ++n) visits.push_back(visit_from(3 + 0.2 * (n - 1), n));
  const auto on_cpu = summarize(fixtures::file_of(visits)).at(0);
  for (json& visit : visits) {
    visit["device"] = 0;
    visit["estimates"][0]["cost_cycles"] = {{"value", 0.8}, {"low", 0.0}, {"high", 99.0}};
  }
  const auto on_gpu = summarize(fixtures::file_of(visits)).at(0);
  EXPECT_DOUBLE_EQ(on_gpu.cost_ns.value, on_cpu.cost_ns.value)
      << "the median of the visits' medians";
  EXPECT_LT(on_gpu.cost_ns.high - on_gpu.cost_ns.low,
            0.8 * (on_cpu.cost_ns.high - on_cpu.cost_ns.low));
  EXPECT_LE(on_gpu.cost_ns.low, on_gpu.cost_ns.value);
  EXPECT_NEAR(on_gpu.cost_cycles.high / on_gpu.cost_cycles.value,
              on_gpu.cost_ns.high / on_gpu.cost_ns.value, 1e-9);
}

TEST(pooled_rounds, keep_the_bounds_of_cycles_on_either_side_of_a_cost_below_0) {
  std::vector<json> visits;
  for (unsigned n = 1; n <= 3; ++n) {
    visits.push_back(visit_from(3 + 0.2 * (n - 1), n));
    visits.back()["device"] = 0;
    visits.back()["estimates"][0]["cost_cycles"] = {{"value", -0.1}, {"low", -1.0}, {"high", 1.0}};
  }
  const interval cycles = summarize(fixtures::file_of(visits)).at(0).cost_cycles;
  EXPECT_LE(cycles.low, cycles.value);
  EXPECT_GE(cycles.high, cycles.value);
}

TEST(pooled_rounds, of_a_launch_that_was_disturbed_at_times_are_not_one_sample) {
  std::vector<json> visits;
  for (unsigned n = 1; n <= 3; ++n) {
    visits.push_back(visit_from(3 + 0.2 * (n - 1), n));
    auto busy = visits.back()["estimates"][0];
    busy["busy"] = true;
    visits.back()["estimates"].push_back(busy);
  }
  const auto on_cpu = summarize(fixtures::file_of(visits)).at(0);
  for (json& visit : visits) visit["device"] = 0;
  const auto on_gpu = summarize(fixtures::file_of(visits)).at(0);
  EXPECT_DOUBLE_EQ(on_gpu.cost_ns.high, on_cpu.cost_ns.high);
}

}  // namespace
}  // namespace syncmeter::pooled_rounds_test
