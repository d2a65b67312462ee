// The tables of locks from costs made by hand.
#include "cli/locks.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "cli_fixtures.hpp"

namespace syncmeter::locks_test {
namespace {

using fixtures::visit;
using testing::AllOf;
using testing::DoubleNear;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

point on_one(const std::string& backend, const std::string& op, unsigned lanes) {
  point p = fixtures::atomic_add(lanes);
  p.backend = backend;
  p.op = op;
  p.order = op == "atomic_add" && backend == "std" ? order::seq_cst
            : op == "atomic_add"                   ? order::relaxed
                                                   : order::unordered;
  return p;
}

point on_its_own(const std::string& backend, const std::string& op, unsigned lanes) {
  point p = on_one(backend, op, lanes);
  p.placement = placement::strided;
  p.stride = 1024;
  return p;
}

// Five visits; all drift by 10 % a visit, and a lock parts from the others by 0.4 %.
void add_visits(std::vector<nlohmann::json>& visits, const point& what, double ns,
                double fairness = 1) {
  for (unsigned n = 1; n <= 5; ++n) {
    const double cost = ns * std::pow(1.1, n) * ((n + what.op.size()) % 2 == 0 ? 1.002 : 0.998);
    visits.push_back(
        visit(what, n, "ok", {{.cost = cost, .low = 0.99 * cost, .high = 1.01 * cost}}));
    visits.back()["fairness"] = fairness;
    visits.back()["slowest_over_fastest"] = 1 / fairness;
    visits.back()["family"] = what.op == "atomic_add" ? "atomic" : "critical";
  }
}

results_file locks_file(unsigned lanes) {
  std::vector<nlohmann::json> visits;
  for (const char* backend : {"omp", "std"}) {
    const double more = std::string_view(backend) == "std" ? 1.25 : 1;
    add_visits(visits, on_one(backend, "atomic_add", 1), 5);
    add_visits(visits, on_one(backend, "lock_add", 1), 20 * more);
    add_visits(visits, on_one(backend, "spin_lock_add", 1), 10 * more);
    if (lanes == 1) continue;
    add_visits(visits, on_one(backend, "atomic_add", lanes), 40);
    add_visits(visits, on_one(backend, "lock_add", lanes), 160 * more, 0.95);
    add_visits(visits, on_one(backend, "spin_lock_add", lanes), 640 * more, 0.75);
    add_visits(visits, on_its_own(backend, "lock_add", lanes), 21 * more);
  }
  results_file file = fixtures::file_of(std::move(visits));
  file.campaign["options"] = {{"study", "locks"}};
  return file;
}

// By value: newer compilers fear that a reference is into one of the names.
lock_row row_of(const lock_table& table, const std::string& backend, const std::string& op) {
  for (const lock_row& row : table.rows) {
    if (row.what.backend == backend && row.what.op == op) return row;
  }
  throw std::runtime_error("no row of " + backend + " " + op);
}

TEST(locks, the_cheapest_alone_need_not_be_the_cheapest_under_contention) {
  const results_file file = locks_file(4);
  const auto points = summarize(file);
  const auto tables = lock_tables(file, points);
  ASSERT_THAT(tables, SizeIs(1)) << "std's atomic_add has another order, and stands beside omp's";
  const lock_table& table = tables[0];
  EXPECT_THAT(table.rows, SizeIs(6));
  EXPECT_EQ(table.most_lanes, 4U);
  EXPECT_EQ(table.rows.at(table.cheapest_alone.value()).what.op, "spin_lock_add");
  EXPECT_EQ(table.rows.at(table.cheapest_shared.value()).what.op, "lock_add");
  EXPECT_EQ(table.rows.at(table.cheapest_shared.value()).what.backend, "omp");
  const lock_row spin = row_of(table, "std", "spin_lock_add");
  EXPECT_EQ(spin.shared_over_cheapest.visits, 5U);
  EXPECT_THAT(spin.shared_over_cheapest.ratio.value, DoubleNear(5, 0.05)) << "the drift cancels";
  EXPECT_LT(spin.shared_over_cheapest.ratio.high, 5.1);
  EXPECT_THAT(spin.shared_over_atomic.ratio.value, DoubleNear(20, 0.2));
  EXPECT_THAT(spin.alone_over_atomic.ratio.value, DoubleNear(2.5, 0.03));
  EXPECT_EQ(spin.own, nullptr);
  ASSERT_NE(row_of(table, "omp", "lock_add").own, nullptr);
  EXPECT_EQ(row_of(table, "omp", "lock_add").own->what.lanes, 4U);
}

TEST(locks, the_text_says_which_lock_and_how_fair_it_can_be) {
  const results_file file = locks_file(4);
  const std::string text = locks_text(file, summarize(file));
  EXPECT_THAT(text, AllOf(HasSubstr("Locks: one int32 add under each, 4 lanes, affinity close"),
                          HasSubstr("- uncontended (1 lane): omp spin_lock_add is the cheapest, "),
                          HasSubstr("- 4 lanes on one lock: omp lock_add is the cheapest, "),
                          HasSubstr("; std spin_lock_add costs 5.0"),
                          HasSubstr("- least fair: omp spin_lock_add, 0.750: its slowest lane took "
                                    "1.33 times"),
                          HasSubstr("one lane after the other would read 0.76"),
                          HasSubstr("- left out by the study: types but int32")));
  EXPECT_THAT(text, Not(HasSubstr("One lock for all lanes:"))) << "1 and 4 are in the first table";
}

TEST(locks, what_cannot_be_told_apart_is_said) {
  results_file file = locks_file(4);
  std::vector<nlohmann::json> near;
  add_visits(near, on_one("omp", "ticket_lock_add", 4), 160);
  for (std::size_t n = 0; n < near.size(); ++n) {
    auto& value = near[n]["estimates"][0]["cost_ns"]["value"];
    value = value.get<double>() * (n % 2 == 0 ? 1.1 : 0.95);
  }
  file.visits.insert(file.visits.end(), near.begin(), near.end());
  EXPECT_THAT(locks_text(file, summarize(file)),
              HasSubstr("; not told apart from it: omp ticket_lock_add; "));
  const results_file apart = locks_file(4);
  EXPECT_THAT(locks_text(apart, summarize(apart)), Not(HasSubstr("not told apart")));
}

TEST(locks, lanes_between_have_a_table_of_their_own) {
  results_file file = locks_file(4);
  add_visits(file.visits, on_one("omp", "lock_add", 2), 50, 0.91);
  const std::string text = locks_text(file, summarize(file));
  EXPECT_THAT(text, AllOf(HasSubstr("One lock for all lanes: ops/s of all of them, and fairness"),
                          HasSubstr("2 lanes"), HasSubstr(" M 0.910")));
}

TEST(locks, one_lane_alone_knows_nothing_of_contention) {
  const results_file file = locks_file(1);
  EXPECT_THAT(locks_text(file, summarize(file)),
              AllOf(HasSubstr("- shared by lanes: cannot tell: no two lanes were measured"),
                    Not(HasSubstr("least fair"))));
}

TEST(locks, a_file_of_another_study_has_no_such_table) {
  results_file file = locks_file(4);
  file.campaign["options"] = {{"study", "quick"}};
  EXPECT_THAT(locks_text(file, summarize(file)), IsEmpty());
}

// Rates of lanes that end one after the other are 1, 1/2, ..., 1/n.
TEST(locks, fairness_has_a_floor_where_lanes_do_equal_work) {
  EXPECT_DOUBLE_EQ(least_fairness(1), 1);
  EXPECT_DOUBLE_EQ(least_fairness(2), 0.9);
  EXPECT_THAT(least_fairness(16), DoubleNear(0.45, 0.005));
}

}  // namespace
}  // namespace syncmeter::locks_test
