// The ratio of a portable cost over the native one, against ratios computed by hand.
#include "cli/portability.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "cli_fixtures.hpp"

namespace syncmeter::portability_test {
namespace {

using fixtures::visit;
using testing::DoubleNear;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

point at(const std::string& backend, const std::string& op = "atomic_add") {
  point p = fixtures::atomic_add(2);
  p.backend = backend;
  p.op = op;
  return p;
}

nlohmann::json visit_at(const point& what, unsigned number, double cost,
                        const std::string& code = "") {
  auto line = visit(what, number, "ok", {{.cost = cost, .low = 0.99 * cost, .high = 1.01 * cost}});
  if (!code.empty()) line["census"] = {{"per_op", {{code, 1.0}, {"move", 3.0}}}};
  return line;
}

// Both sides drift by 10 % from visit to visit; the ratio does not.
std::vector<nlohmann::json> drifting(double ratio) {
  std::vector<nlohmann::json> visits;
  for (unsigned n = 1; n <= 5; ++n) {
    const double native = 10 * std::pow(1.1, n);
    visits.push_back(visit_at(at("omp"), n, native, "lock_add"));
    visits.push_back(visit_at(at("kokkos-openmp"), n, ratio * native * (n % 2 == 0 ? 1.005 : 0.995),
                              ratio > 1 ? "lock_cmpxchg" : "lock_add"));
  }
  return visits;
}

TEST(portability, a_drift_of_the_machine_cancels) {
  const results_file file = fixtures::file_of(drifting(1.5));
  const auto points = summarize(file);
  const auto rows = portability_of(file, points);
  ASSERT_THAT(rows, SizeIs(1));
  EXPECT_EQ(rows[0].native->what.backend, "omp");
  EXPECT_EQ(rows[0].portable->what.backend, "kokkos-openmp");
  EXPECT_EQ(rows[0].visits, 5U);
  EXPECT_THAT(rows[0].ratio.value, DoubleNear(1.5 * 0.995, 1e-9)) << "the median of five";
  EXPECT_GT(rows[0].ratio.low, 1.4);
  EXPECT_LT(rows[0].ratio.high, 1.6);
  EXPECT_LT(rows[0].ratio.low, rows[0].ratio.value);
}

TEST(portability, the_table_says_what_ran_and_what_follows) {
  const results_file dear = fixtures::file_of(drifting(1.5));
  const std::string text = portability_text(dear, summarize(dear));
  EXPECT_THAT(text, HasSubstr("lock_add 1"));
  EXPECT_THAT(text, HasSubstr("lock_cmpxchg 1"));
  EXPECT_THAT(text, testing::Not(HasSubstr("move"))) << "bookkeeping";
  EXPECT_THAT(text, HasSubstr("dearer, other code"));
  EXPECT_THAT(text,
              HasSubstr("1 pairs: the portable one costs the same within 2 % in 0, more in 1,"));
  const results_file equal = fixtures::file_of(drifting(1.0));
  EXPECT_THAT(portability_text(equal, summarize(equal)),
              HasSubstr("the same within 2 %, same code"));
}

TEST(portability, only_visits_of_one_number_are_compared) {
  auto visits = drifting(1.5);
  visits.pop_back();  // the portable one of visit 5
  const results_file file = fixtures::file_of(visits);
  const auto points = summarize(file);
  EXPECT_EQ(portability_of(file, points).at(0).visits, 4U);
}

TEST(portability, says_nothing_where_there_is_nothing_to_compare) {
  const results_file file =
      fixtures::file_of({visit_at(at("omp"), 1, 5), visit_at(at("kokkos-openmp", "fence"), 1, 5)});
  EXPECT_THAT(portability_text(file, summarize(file)), IsEmpty());
}

TEST(portability, an_unresolved_side_has_no_ratio) {
  std::vector<nlohmann::json> visits;
  for (unsigned n = 1; n <= 3; ++n) {
    visits.push_back(visit_at(at("omp"), n, 10 + n));
    visits.push_back(
        visit(at("kokkos-openmp"), n, "ok", {{.cost = n == 2 ? -4.0 : 4.0, .low = -9, .high = 9}}));
  }
  const results_file file = fixtures::file_of(visits);
  const auto points = summarize(file);
  const auto rows = portability_of(file, points);
  ASSERT_THAT(rows, SizeIs(1));
  EXPECT_EQ(rows[0].visits, 0U);
  EXPECT_THAT(portability_text(file, points), HasSubstr("; 1 have no ratio with an interval"));
}

// A hypervisor moves one side between visits, not both: one state in common is compared, and a
// visit without one is not.
TEST(portability, compares_within_a_placement_state) {
  const auto seen = [](unsigned state, std::size_t rounds, double cost, bool busy = false) {
    return fixtures::estimate_values{.state = state,
                                     .busy = busy,
                                     .rounds = rounds,
                                     .cost = cost,
                                     .low = 0.9 * cost,
                                     .high = 1.1 * cost};
  };
  std::vector<nlohmann::json> visits;
  for (unsigned n = 1; n <= 3; ++n) {
    visits.push_back(visit(at("omp"), n, "ok", {seen(0, 30, 10), seen(1, 10, 40)}));
    visits.push_back(visit(at("kokkos-openmp"), n, "ok", {seen(1, 30, 60), seen(0, 4, 20)}));
  }
  visits.push_back(visit(at("omp"), 4, "ok", {seen(0, 30, 10)}));
  visits.push_back(visit(at("kokkos-openmp"), 4, "ok", {seen(1, 30, 60)}));
  visits.push_back(visit(at("omp"), 5, "ok", {seen(1, 30, 40)}));
  visits.push_back(visit(at("kokkos-openmp"), 5, "ok", {seen(1, 30, 60, true)}));
  const results_file file = fixtures::file_of(visits);
  const auto points = summarize(file);
  const auto rows = portability_of(file, points);
  ASSERT_THAT(rows, SizeIs(1));
  EXPECT_EQ(rows[0].visits, 4U);
  EXPECT_THAT(rows[0].ratio.value, DoubleNear(1.5, 1e-9));
}

// A point that another's measurement stands for is compared by that measurement.
TEST(portability, follows_measured_as) {
  results_file file = fixtures::file_of(drifting(1.5));
  for (const char* backend : {"omp", "kokkos-openmp"}) {
    file.same.push_back({{"kind", "same"},
                         {"point", at(backend, "atomic_sub")},
                         {"measured_as", at(backend)},
                         {"why", "equal code"}});
  }
  const auto points = summarize(file);
  const auto rows = portability_of(file, points);
  ASSERT_THAT(rows, SizeIs(2));
  EXPECT_EQ(rows[1].portable->what.op, "atomic_sub");
  EXPECT_EQ(rows[1].visits, 5U);
}

}  // namespace
}  // namespace syncmeter::portability_test
