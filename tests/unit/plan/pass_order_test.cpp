// Seeded order: the same everywhere, each order as likely as any other.
#include "driver/campaign/pass_order.hpp"

#include <algorithm>
#include <map>

#include <gtest/gtest.h>

namespace syncmeter::pass_order_test {
namespace {

TEST(pass_order, holds_every_point_once) {
  for (const std::size_t size : {0U, 1U, 2U, 100U}) {
    std::vector<std::size_t> order = pass_order(size, 7, 1);
    std::sort(order.begin(), order.end());
    ASSERT_EQ(order.size(), size);
    for (std::size_t i = 0; i < size; ++i) EXPECT_EQ(order[i], i);
  }
}

// Written down once: a seed in a results file has to mean this order on every machine, for ever.
TEST(pass_order, a_seed_means_the_same_for_ever) {
  EXPECT_EQ(pass_order(8, 42, 1), (std::vector<std::size_t>{0, 4, 7, 5, 6, 2, 3, 1}));
  EXPECT_EQ(visit_seed(42, "backend=omp op=barrier", 3), 4284932788937826U);
}

TEST(pass_order, differs_by_seed_and_by_pass) {
  EXPECT_NE(pass_order(50, 1, 1), pass_order(50, 2, 1));
  EXPECT_NE(pass_order(50, 1, 1), pass_order(50, 1, 2));
  EXPECT_NE(pass_order(50, 1, 2), pass_order(50, 2, 1)) << "seed and pass are not simply added";
}

// 6 orders of 3 points over 6000 seeds: each is expected 1000 times with a standard deviation
// of 29.
TEST(pass_order, every_order_is_as_likely) {
  std::map<std::vector<std::size_t>, int> seen;
  for (std::uint64_t seed = 1; seed <= 6000; ++seed) ++seen[pass_order(3, seed, 1)];
  ASSERT_EQ(seen.size(), 6U);
  for (const auto& [order, times] : seen) EXPECT_NEAR(times, 1000, 5 * 29);
}

TEST(pass_order, members_of_a_group_follow_one_another_and_begin_by_turns) {
  const std::vector<std::vector<std::size_t>> groups{{0, 3}, {1}, {2, 4, 5}};
  std::map<std::size_t, int> first_of_pair;
  for (unsigned pass = 1; pass <= 6; ++pass) {
    const auto order = pass_order(groups, 7, pass);
    ASSERT_EQ(order.size(), 6U);
    const auto at = [&](std::size_t index) {
      return std::find(order.begin(), order.end(), index) - order.begin();
    };
    EXPECT_EQ(std::abs(at(0) - at(3)), 1);
    EXPECT_EQ(std::max({at(2), at(4), at(5)}) - std::min({at(2), at(4), at(5)}), 2);
    ++first_of_pair[at(0) < at(3) ? 0 : 3];
  }
  EXPECT_EQ(first_of_pair[0], 3);
  EXPECT_EQ(first_of_pair[3], 3);
}

TEST(pass_order, groups_of_one_are_the_plain_order) {
  EXPECT_EQ(pass_order({{0}, {1}, {2}, {3}}, 9, 2), pass_order(4, 9, 2));
}

TEST(visit_seed, differs_by_everything_and_fits_a_double) {
  EXPECT_NE(visit_seed(1, "a", 1), visit_seed(2, "a", 1));
  EXPECT_NE(visit_seed(1, "a", 1), visit_seed(1, "b", 1));
  EXPECT_NE(visit_seed(1, "a", 1), visit_seed(1, "a", 2));
  for (unsigned visit = 0; visit < 100; ++visit)
    EXPECT_LT(visit_seed(9, "a", visit), std::uint64_t{1} << 53U);
}

}  // namespace
}  // namespace syncmeter::pass_order_test
