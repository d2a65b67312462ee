// A deadline on a scripted clock.
#include "driver/text/patience.hpp"

#include <gtest/gtest.h>

namespace syncmeter::patience_test {
namespace {

using namespace std::chrono_literals;

const patience::clock::time_point start{};

TEST(patience, ends_when_its_time_is_over) {
  patience deadline(2500ms, start);
  EXPECT_EQ(deadline.look(start + 1s), 1s) << "no step is longer";
  EXPECT_EQ(deadline.look(start + 2s), 500ms);
  EXPECT_FALSE(deadline.over(start + 2499ms));
  EXPECT_TRUE(deadline.over(start + 2500ms));
  EXPECT_TRUE(deadline.over(start + 2600ms));
}

TEST(patience, of_no_time_is_over_at_once) { EXPECT_TRUE(patience(0ms, start).over(start)); }

TEST(patience, a_stop_of_the_process_costs_one_step) {
  patience deadline(5s, start);
  EXPECT_EQ(deadline.look(start + 1s), 1s);
  EXPECT_FALSE(deadline.over(start + 1h)) << "4 s were left, of which one step is gone";
  EXPECT_FALSE(deadline.over(start + 1h + 2s));
  EXPECT_TRUE(deadline.over(start + 1h + 3s));
}

}  // namespace
}  // namespace syncmeter::patience_test
