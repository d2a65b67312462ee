// Which points have placement states, what is probed for them, and whose bounds they get.
#include "driver/plan/placement_states.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace syncmeter::placement_states_test {
namespace {

using nlohmann::json;
using testing::ElementsAre;

std::vector<worker_info> one_worker() {
  worker_info worker;
  worker.name = "omp";
  worker.capabilities.resize(2);
  worker.capabilities[0].backend = worker.capabilities[1].backend = "omp";
  worker.capabilities[0].op = "barrier";
  worker.capabilities[0].communicates = true;
  worker.capabilities[1].op = "atomic_add";
  return {worker};
}

point at(const char* op, enum placement place, unsigned lanes, unsigned stride = 0) {
  point p;
  p.backend = "omp";
  p.op = op;
  p.type = value_type::int32;
  p.placement = place;
  p.stride = stride;
  p.lanes = lanes;
  return p;
}

planned_point planned(point what, std::vector<int> pus) {
  planned_point one;
  one.what = std::move(what);
  one.pus = std::move(pus);
  return one;
}

TEST(contended, takes_two_lanes_that_meet) {
  const auto workers = one_worker();
  constexpr unsigned line = 64;
  EXPECT_TRUE(contended(at("barrier", placement::none, 2), workers, line));
  EXPECT_FALSE(contended(at("barrier", placement::none, 1), workers, line));
  EXPECT_TRUE(contended(at("atomic_add", placement::shared, 2), workers, line));
  EXPECT_FALSE(contended(at("atomic_add", placement::none, 2), workers, line));
  EXPECT_TRUE(contended(at("atomic_add", placement::strided, 2, 15), workers, line)) << "60 bytes";
  EXPECT_FALSE(contended(at("atomic_add", placement::strided, 2, 16), workers, line)) << "64 bytes";
  point pairs = at("atomic_add", placement::strided, 4, 1024);
  EXPECT_FALSE(contended(pairs, workers, line));
  pairs.cells = 2;
  EXPECT_TRUE(contended(pairs, workers, line)) << "two lanes on each cell";
  auto on_gpus = workers;
  on_gpus.front().gpus["omp"] = {};
  EXPECT_FALSE(contended(at("atomic_add", placement::shared, 2), on_gpus, line));
}

TEST(state_probes, ask_for_the_largest_and_for_two_lanes) {
  const topology machine = topology::synthetic("package:2 core:2 pu:1");
  campaign_plan plan;
  plan.points = {planned(at("atomic_add", placement::shared, 1), {0}),
                 planned(at("barrier", placement::none, 3), {0, 2, 1}),
                 planned(at("barrier", placement::none, 4), {0, 2, 1, 3})};
  const auto probes = state_probes(plan, one_worker(), machine);
  ASSERT_EQ(probes.size(), 2U);
  EXPECT_THAT(probes[0].pus, ElementsAre(0, 2));
  EXPECT_THAT(probes[1].pus, ElementsAre(0, 2, 1, 3));
  EXPECT_LE(probes[0].seconds + probes[1].seconds, longest_probing_s);
}

TEST(state_probes, one_is_enough_when_all_have_the_same_lanes) {
  campaign_plan plan;
  plan.points = {planned(at("barrier", placement::none, 2), {1, 0})};
  const auto probes = state_probes(plan, one_worker(), topology::synthetic("core:2 pu:1"));
  ASSERT_EQ(probes.size(), 1U);
  EXPECT_THAT(probes[0].pus, ElementsAre(1, 0));
}

TEST(state_probes, lanes_that_are_not_bound_get_pus_for_the_probe) {
  campaign_plan plan;
  plan.points = {planned(at("barrier", placement::none, 2), {-1, -1})};
  const auto probes = state_probes(plan, one_worker(), topology::synthetic("core:2 pu:1"));
  ASSERT_EQ(probes.size(), 1U);
  EXPECT_THAT(probes[0].pus, testing::UnorderedElementsAre(0, 1));
}

TEST(state_probes, none_between_lanes_of_one_pu) {
  campaign_plan plan;
  plan.points = {planned(at("barrier", placement::none, 2), {0, 0})};
  EXPECT_TRUE(state_probes(plan, one_worker(), topology::synthetic("core:1 pu:1")).empty());
  plan.points = {planned(at("barrier", placement::none, 4), {0, 1, 0, 1})};
  const auto probes = state_probes(plan, one_worker(), topology::synthetic("core:2 pu:1"));
  ASSERT_EQ(probes.size(), 1U);
  EXPECT_THAT(probes[0].pus, ElementsAre(0, 1)) << "each PU once";
}

TEST(state_probes, none_without_contention) {
  campaign_plan plan;
  plan.points = {planned(at("atomic_add", placement::strided, 2, 16), {0, 1})};
  const topology machine = topology::synthetic("core:2 pu:1");
  EXPECT_TRUE(state_probes(plan, one_worker(), machine).empty());
  EXPECT_EQ(prober(plan, one_worker(), machine), nullptr);
}

TEST(prober, waits_actively_when_it_can) {
  campaign_plan plan;
  plan.points = {planned(at("barrier", placement::none, 2), {0, 1}),
                 planned(at("barrier", placement::none, 2), {0, 1})};
  plan.points[0].what.wait = wait_policy::passive;
  const topology machine = topology::synthetic("core:2 pu:1");
  EXPECT_EQ(prober(plan, one_worker(), machine), &plan.points[1]);
  plan.points.pop_back();
  EXPECT_EQ(prober(plan, one_worker(), machine), &plan.points[0]);
}

TEST(state_entry, holds_bounds_and_quantiles) {
  json hops = json::array();
  for (int i = 100; i >= 1; --i) hops.push_back(i);
  const auto entry = state_entry({0, 1}, {{"hop_ns", hops}, {"bounds_ns", {30.5, 10.5}}});
  ASSERT_TRUE(entry);
  EXPECT_EQ(*entry,
            (json{{"pus", {0, 1}}, {"bounds_ns", {10.5, 30.5}}, {"hop_ns", {5.0, 50.0, 95.0}}}));
  EXPECT_FALSE(state_entry({0, 1}, {{"hop_ns", json::array()}}));
  EXPECT_FALSE(state_entry({0, 1}, {{"hop_ns", "none"}}));
}

TEST(bounds_for, are_those_of_the_largest_probe_that_fits) {
  const json states = {{{"pus", {0, 1}}, {"bounds_ns", {20.0}}},
                       {{"pus", {0, 1, 2, 3, 4, 5, 6, 7}}, {"bounds_ns", {50.0, 90.0}}}};
  EXPECT_THAT(bounds_for(states, 2), ElementsAre(20.0));
  EXPECT_THAT(bounds_for(states, 7), ElementsAre(20.0));
  EXPECT_THAT(bounds_for(states, 8), ElementsAre(50.0, 90.0));
  EXPECT_THAT(bounds_for(states, 1), ElementsAre());
  EXPECT_THAT(bounds_for(json::array(), 2), ElementsAre());
  EXPECT_THAT(bounds_for(json("edited"), 2), ElementsAre());
}

}  // namespace
}  // namespace syncmeter::placement_states_test
