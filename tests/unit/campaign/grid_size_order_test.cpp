// GPU points that differ in their grid size: smallest first, and nothing beyond what was too slow.
#include "driver/campaign/pass_order.hpp"

#include <gmock/gmock.h>

namespace syncmeter::launch_sizes_test {
namespace {

using testing::ElementsAre;

planned_point launched(const char* op, unsigned lanes, unsigned blocks) {
  planned_point planned;
  planned.what = {.backend = "cuda", .op = op};
  planned.device = 0;
  planned.what.lanes = lanes;
  planned.what.blocks = blocks;
  return planned;
}

struct grid_sizes : testing::Test {
  std::vector<planned_point> points{
      launched("atomic_add", 1024, 132), launched("barrier", 64, 1),
      launched("atomic_add", 32, 1),     launched("atomic_add", 1024, 1),
      launched("barrier", 32, 1),        launched("atomic_add", 1, 132)};
  grid_size_order sizes{points};
  visit_log book{points, {{{"cuda", ""}, "b"}}};

  void say(std::size_t point, const char* status) {
    visit_record line;
    line.key = book.key(point, 1);
    line.status = from_text<enum status>(status).value();
    line.stopped_by = "max_time";
    book.record(line);
  }
};

TEST_F(grid_sizes, of_one_op_come_smallest_first_where_the_order_had_that_op) {
  EXPECT_THAT(sizes.smallest_first({0, 1, 2, 3, 4, 5}), ElementsAre(2, 4, 5, 3, 1, 0));
}

TEST_F(grid_sizes, of_cpus_stay_where_they_are) {
  for (planned_point& planned : points) planned.device.reset();
  EXPECT_THAT(grid_size_order(points).smallest_first({0, 3, 2, 1, 5, 4}),
              ElementsAre(0, 3, 2, 1, 5, 4));
}

TEST_F(grid_sizes, beyond_one_that_was_too_slow_are_too_much) {
  EXPECT_FALSE(sizes.known_too_slow(0, book));
  say(3, "too_slow");
  EXPECT_EQ(sizes.known_too_slow(0, book), 3U);
  EXPECT_FALSE(sizes.known_too_slow(2, book)) << "a smaller one";
  EXPECT_FALSE(sizes.known_too_slow(5, book)) << "more blocks, but fewer lanes";
  EXPECT_FALSE(sizes.known_too_slow(1, book)) << "another op";
  EXPECT_FALSE(sizes.known_too_slow(3, book)) << "itself";
}

TEST_F(grid_sizes, beyond_one_that_timed_out_may_answer) {
  say(5, "timeout");
  EXPECT_FALSE(sizes.known_too_slow(0, book));
  say(2, "ok");
  EXPECT_FALSE(sizes.known_too_slow(3, book));
}

}  // namespace
}  // namespace syncmeter::launch_sizes_test
