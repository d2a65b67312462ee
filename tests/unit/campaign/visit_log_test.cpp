// What is still to be measured, from what the file says.
#include "driver/campaign/campaign_file.hpp"

#include <gtest/gtest.h>

namespace syncmeter::ledger_test {
namespace {

struct ledger_of_two : testing::Test {
  std::vector<planned_point> points = [] {
    std::vector<planned_point> two(2);
    two[0].what = {.backend = "omp", .op = "atomic_add"};
    two[0].visits = 3;
    two[1].what = {.backend = "omp", .op = "barrier"};
    two[1].visits = 2;
    return two;
  }();
  visit_log book{points, {{{"omp", ""}, "b1"}}};

  visit_record line(std::size_t point, unsigned visit, const char* status,
                    const char* stopped_by = "precision", std::uint64_t trips = 40) const {
    visit_record record;
    record.key = book.key(point, visit);
    record.status = from_text<enum status>(status).value();
    record.stopped_by = stopped_by;
    record.trips = trips;
    return record;
  }
};

TEST_F(ledger_of_two, wants_everything_at_first) {
  EXPECT_EQ(book.remaining(), 5U);
  EXPECT_TRUE(book.wants(0, 3));
  EXPECT_FALSE(book.wants(1, 3)) << "a point has its own number of visits";
}

TEST_F(ledger_of_two, a_visit_with_a_line_is_done) {
  book.record(line(0, 2, "ok"));
  EXPECT_FALSE(book.wants(0, 2));
  EXPECT_TRUE(book.wants(0, 1));
  EXPECT_EQ(book.done(), 1U);
  EXPECT_EQ(book.remaining(), 4U);
  book.record(line(0, 2, "ok"));
  EXPECT_EQ(book.done(), 1U);
}

TEST_F(ledger_of_two, another_build_is_another_visit) {
  const visit_log other(points, {{{"omp", ""}, "b2"}});
  EXPECT_NE(book.key(0, 1), other.key(0, 1));
  visit_record line;
  line.key = other.key(0, 1);
  line.status = status::ok;
  book.record(line);
  EXPECT_EQ(book.done(), 0U);
}

TEST_F(ledger_of_two, what_would_be_the_same_again_is_settled) {
  for (const char* status : {"unsupported", "elided", "too_slow", "failed"}) {
    visit_log fresh{points, {{{"omp", ""}, "b1"}}};
    fresh.record(line(0, 1, status, "failure"));
    EXPECT_FALSE(fresh.wants(0, 2)) << status;
    EXPECT_EQ(fresh.remaining(), 2U) << status;
  }
  for (const char* status : {"noisy", "busy", "not_resolved", "interferes"}) {
    book.record(line(0, 1, status));
    EXPECT_TRUE(book.wants(0, 2)) << status;
  }
}

TEST_F(ledger_of_two, a_crash_or_a_hang_is_not_settled_but_giving_up_is) {
  book.record(line(0, 1, "failed", "crash"));
  EXPECT_TRUE(book.wants(0, 2));
  book.record(line(0, 2, "timeout", "timeout"));
  EXPECT_TRUE(book.wants(0, 3));
  book.record(line(0, 3, "failed", "not_tried"));
  book.record(line(1, 1, "failed", "not_tried"));
  EXPECT_FALSE(book.wants(1, 2));
  EXPECT_EQ(book.failed_points(), 2U);
}

TEST_F(ledger_of_two, retrying_forgets_failures_alone) {
  book.record(line(0, 1, "ok"));
  book.record(line(0, 2, "failed", "failure"));
  book.record(line(1, 1, "unsupported"));
  book.forget_failures();
  EXPECT_EQ(book.failed_points(), 0U);
  EXPECT_FALSE(book.wants(0, 1));
  EXPECT_TRUE(book.wants(0, 2));
  EXPECT_TRUE(book.wants(0, 3));
  EXPECT_FALSE(book.wants(1, 2));
  EXPECT_EQ(book.remaining(), 2U);
}

TEST_F(ledger_of_two, a_failed_visit_beyond_the_planned_ones_is_retried_and_no_other) {
  for (const unsigned visit : {1U, 2U, 3U}) book.record(line(0, visit, "ok"));
  book.record(line(0, 6, "failed", "crash"));
  EXPECT_EQ(book.last_wanted(0), 0U);
  EXPECT_EQ(book.done(), 4U) << "4 and 5 never were";
  book.forget_failures();
  EXPECT_EQ(book.last_wanted(0), 6U);
  EXPECT_TRUE(book.wants(0, 6));
  EXPECT_FALSE(book.wants(0, 5)) << "nobody asked for it";
  EXPECT_EQ(book.remaining(), 3U) << "and the two of the other point";
}

TEST_F(ledger_of_two, a_retried_visit_that_is_well_is_no_failure) {
  book.record(line(0, 1, "timeout", "timeout"));
  EXPECT_EQ(book.failed_points(), 1U);
  book.record(line(0, 1, "ok"));
  EXPECT_EQ(book.failed_points(), 0U);
}

TEST_F(ledger_of_two, trips_are_those_of_the_last_good_visit) {
  EXPECT_EQ(book.trips(0), 0U);
  book.record(line(0, 1, "ok", "precision", 40));
  book.record(line(0, 2, "failed", "crash", 50));
  EXPECT_EQ(book.trips(0), 40U);
}

TEST_F(ledger_of_two, lines_that_somebody_edited_are_ignored) {
  visit_record line;
  line.status = status::ok;
  book.record(line);
  line.key = "another";
  book.record(line);
  EXPECT_EQ(book.done(), 0U);
}

}  // namespace
}  // namespace syncmeter::ledger_test
