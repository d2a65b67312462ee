// How a set of numbers is printed.
#include "driver/text/ranges.hpp"

#include <gtest/gtest.h>

namespace syncmeter::ranges_test {
namespace {

TEST(as_ranges, joins_neighbours) {
  EXPECT_EQ(as_ranges({}), "");
  EXPECT_EQ(as_ranges({5}), "5");
  EXPECT_EQ(as_ranges({8, 2, 1, 0, 10, 9}), "0-2,8-10");
}

}  // namespace
}  // namespace syncmeter::ranges_test
