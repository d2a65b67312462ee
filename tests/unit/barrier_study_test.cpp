// The text of the study barrier on made-up points: what it compares, and what it says of it.
#include "cli/barrier_study.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "cli_fixtures.hpp"

namespace syncmeter::barrier_study_test {
namespace {

using enum wait_policy;
using fixtures::visit;
using testing::DoubleNear;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using word = barrier_ratio::word;

point barrier_at(const std::string& backend, unsigned lanes, wait_policy wait) {
  point p;
  p.backend = backend;
  p.op = "barrier";
  p.lanes = lanes;
  p.affinity = affinity::close;
  p.wait = wait;
  return p;
}

point late_at(const std::string& backend, unsigned late_us) {
  point p = barrier_at(backend, 2, active);
  p.op = "barrier_late";
  p.late_us = late_us;
  return p;
}

// Five visits about a cost; the machine drifts by 10 % from one to the next.
void add(std::vector<nlohmann::json>& visits, const point& what, double cost, double scatter = 0) {
  for (unsigned n = 1; n <= 5; ++n) {
    const double seen = cost * std::pow(1.1, n - 3.0) * (1 + (n % 2 == 0 ? scatter : -scatter));
    visits.push_back(visit(what, n, "ok", {{.cost = seen, .low = 0.9 * seen, .high = 1.1 * seen}}));
  }
}

results_file file_with(std::vector<nlohmann::json> visits) {
  results_file file = fixtures::file_of(std::move(visits));
  file.campaign["options"] = {{"study", "barrier"}};
  return file;
}

// Two runtimes: the second is cheaper at 2 lanes, dearer at 4 and the same at 1.
results_file two_runtimes() {
  std::vector<nlohmann::json> visits;
  for (const auto& [lanes, ratio] : {std::pair{1U, 1.0}, {2U, 0.5}, {4U, 3.0}}) {
    const double cost = 100.0 * lanes;
    add(visits, barrier_at("omp", lanes, active), cost);
    add(visits, barrier_at("omp-llvm", lanes, active), ratio * cost);
    add(visits, barrier_at("omp", lanes, passive), 200 * cost);
  }
  add(visits, late_at("omp", 0), 200);
  add(visits, late_at("omp", 10), 100);
  return file_with(visits);
}

std::string text_of(const results_file& file) { return barrier_text(file, summarize(file)); }

TEST(barrier_study, a_ratio_is_made_of_equal_visits) {
  const results_file file = two_runtimes();
  const auto points = summarize(file);
  const auto all = barriers_of(file, points);
  ASSERT_THAT(all, SizeIs(1));
  ASSERT_THAT(all[0].curve, SizeIs(3));
  EXPECT_EQ(all[0].affinities, "close");
  const barrier_row& two_lanes = all[0].curve[1];
  EXPECT_EQ(two_lanes.lanes, 2U);
  const auto ratio =
      ratio_of(two_lanes.costs.at({"omp-llvm", active}), two_lanes.costs.at({"omp", active}));
  EXPECT_EQ(ratio.visits, 5U);
  EXPECT_THAT(ratio.ratio.value, DoubleNear(0.5, 1e-9));
  EXPECT_THAT(ratio.ratio.high, DoubleNear(0.5, 1e-6)) << "the drift is no scatter";
  EXPECT_EQ(ratio.says(), word::cheaper);
}

TEST(barrier_study, says_what_an_interval_says) {
  const auto says = [](double low, double high, std::size_t visits = 5) {
    return barrier_ratio{.ratio = {std::sqrt(low * high), low, high}, .visits = visits}.says();
  };
  EXPECT_EQ(says(0.96, 1.04), word::same);
  EXPECT_EQ(says(1.06, 1.5), word::dearer);
  EXPECT_EQ(says(0.5, 0.95), word::cheaper);
  EXPECT_EQ(says(0.94, 0.96), word::open) << "holds 1 / 1.05";
  EXPECT_EQ(says(1.01, 1.2), word::open);
  EXPECT_EQ(says(2, 3, 1), word::unknown);
}

TEST(barrier_study, curves_and_ratios_stand_in_tables) {
  const std::string text = text_of(two_runtimes());
  EXPECT_THAT(text, HasSubstr("\nclose\n"));
  EXPECT_THAT(text, HasSubstr("omp active"));
  EXPECT_THAT(text, HasSubstr("- omp-llvm : omp active, close, by lanes: cheaper at 2 (2 times); "
                              "dearer at 4 (3 times); the same within 5 % at 1\n"));
  EXPECT_THAT(text, HasSubstr("- omp, close, by lanes: dearer at 1 2 4 (200 times)\n"));
  EXPECT_THAT(text, HasSubstr("200 (200..200) >"));
}

TEST(barrier_study, a_late_lane_is_laid_beside_none) {
  const results_file file = two_runtimes();
  const auto points = summarize(file);
  const auto all = barriers_of(file, points);
  ASSERT_THAT(all[0].late, SizeIs(2));
  EXPECT_EQ(all[0].late[1].late_us, 10U);
  const std::string text = text_of(file);
  EXPECT_THAT(text, HasSubstr("A late arriver: ns beyond its lateness"));
  EXPECT_THAT(text, HasSubstr(" x0.5 <\n"));
}

TEST(barrier_study, what_scatters_is_not_resolved) {
  std::vector<nlohmann::json> visits;
  add(visits, barrier_at("omp", 2, active), 100, 0.2);
  add(visits, barrier_at("std", 2, active), 110);
  const std::string text = text_of(file_with(visits));
  EXPECT_THAT(text, HasSubstr("- std : omp active, close, by lanes: not resolved at 2\n"));
  EXPECT_THAT(text, HasSubstr("std::barrier waits in its one way"));
  EXPECT_THAT(text, HasSubstr("a second OpenMP runtime was not measured"));
}

// Sleeping costs 50 us in one visit and 950 in the next: the interval of that cost holds 0, that
// of its ratio to a microsecond does not. A visit that found less than nothing is another matter.
TEST(barrier_study, a_wide_cost_still_has_a_ratio) {
  std::vector<nlohmann::json> visits;
  add(visits, barrier_at("omp", 2, active), 1000);
  add(visits, barrier_at("omp", 2, passive), 500'000, 0.9);
  const results_file wide = file_with(visits);
  EXPECT_THAT(text_of(wide), HasSubstr("< "));
  EXPECT_THAT(text_of(wide), HasSubstr("- omp, close, by lanes: dearer at 2 ("));
  visits.push_back(visit(barrier_at("omp", 2, passive), 6, "not_resolved",
                         {{.cost = -5, .low = -9, .high = 1}}));
  EXPECT_THAT(text_of(file_with(visits)), HasSubstr("- omp, close, by lanes: not compared at 2"));
}

TEST(barrier_study, names_the_runtimes) {
  results_file file = two_runtimes();
  file.workers = {{{"build", {{"compiler", "Clang 14.0.6"}}},
                   {"runtime", {{"omp-llvm", {{"library", "/usr/lib/libomp.so.5"}}}}}}};
  EXPECT_THAT(text_of(file), HasSubstr("- omp-llvm: Clang 14.0.6, /usr/lib/libomp.so.5\n"));
  EXPECT_THAT(text_of(file), Not(HasSubstr("second OpenMP runtime")));
}

TEST(barrier_study, policies_that_place_alike_are_one) {
  std::vector<nlohmann::json> visits;
  add(visits, barrier_at("omp", 2, active), 100);
  point far = barrier_at("omp", 4, active);
  add(visits, far, 150);
  far.affinity = affinity::spread;
  add(visits, far, 300);
  results_file file = file_with(visits);
  for (const affinity policy : {affinity::spread, affinity::smt}) {
    point same = barrier_at("omp", 2, active);
    same.affinity = policy;
    file.same.push_back({{"kind", "same"},
                         {"point", same},
                         {"measured_as", barrier_at("omp", 2, active)},
                         {"why", "equal placement"}});
  }
  point same = barrier_at("omp", 4, active);
  same.affinity = affinity::smt;
  file.same.push_back({{"kind", "same"},
                       {"point", same},
                       {"measured_as", barrier_at("omp", 4, active)},
                       {"why", "equal placement"}});
  const auto points = summarize(file);
  const auto all = barriers_of(file, points);
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_EQ(all[0].affinities, "close, smt");
  EXPECT_EQ(all[1].affinities, "spread");
  EXPECT_THAT(all[1].curve, SizeIs(2)) << "what stands in for another policy is in its curve too";
}

TEST(barrier_study, one_lane_says_what_it_cannot_know) {
  std::vector<nlohmann::json> visits;
  add(visits, barrier_at("omp", 1, active), 5);
  add(visits, barrier_at("omp", 1, passive), 5);
  EXPECT_THAT(text_of(file_with(visits)), HasSubstr("one lane waits for nobody"));
  EXPECT_THAT(text_of(file_with({})), HasSubstr("cannot tell: no barrier was measured"));
}

TEST(barrier_study, other_studies_have_no_such_text) {
  std::vector<nlohmann::json> visits;
  add(visits, barrier_at("omp", 2, active), 100);
  const results_file file = fixtures::file_of(visits);
  EXPECT_THAT(barrier_text(file, summarize(file)), IsEmpty());
}

}  // namespace
}  // namespace syncmeter::barrier_study_test
