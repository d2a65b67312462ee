// The rank sum test's exact tail, against tabled critical values and counts by hand.
#include "driver/advise/rank_sum.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace syncmeter {
namespace {

using numbers = std::vector<double>;

TEST(rank_sum_tail, is_the_share_of_orders) {
  EXPECT_DOUBLE_EQ(rank_sum_tail(numbers{3, 4}, numbers{1, 2}), 1.0 / 6);
  EXPECT_DOUBLE_EQ(rank_sum_tail(numbers{2, 4}, numbers{1, 3}), 2.0 / 6);
  EXPECT_DOUBLE_EQ(rank_sum_tail(numbers{1, 2}, numbers{3, 4}), 1);
  EXPECT_DOUBLE_EQ(rank_sum_tail(numbers{9}, numbers{5, 1, 7, 3}), 1.0 / 5);
}

TEST(rank_sum_tail, has_the_tabled_critical_values) {
  // U of 5 and 8 values, one-sided: 6 at 2.5 %, 4 at 1 % (Mann and Whitney's tables): so many pairs
  // may be the wrong way round.
  const auto with_wrong_pairs = [](int pairs) {
    numbers larger{101, 102, 103, 104, 105}, others(8);
    std::iota(others.begin(), others.end(), 1);
    // The first one falls behind so many others.
    larger.front() = 8.5 - pairs;
    return rank_sum_tail(larger, others);
  };
  EXPECT_LE(with_wrong_pairs(6), 0.025);
  EXPECT_GT(with_wrong_pairs(7), 0.025);
  EXPECT_LE(with_wrong_pairs(4), 0.01);
  EXPECT_GT(with_wrong_pairs(5), 0.01);
}

TEST(rank_sum_tail, ties_have_the_mean_of_their_ranks) {
  EXPECT_DOUBLE_EQ(rank_sum_tail(numbers{2, 2}, numbers{2, 2}), 1);
  // Ranks 1, 3, 3, 3: each of three choices of 3 and 3 in six is as great.
  EXPECT_DOUBLE_EQ(rank_sum_tail(numbers{2, 2}, numbers{1, 2}), 0.5);
  // Ranks 1, 2.5, 2.5, 4: the two that tie are as great a choice as the least with the greatest.
  EXPECT_DOUBLE_EQ(rank_sum_tail(numbers{1, 3}, numbers{2, 2}), 4.0 / 6);
}

TEST(rank_sum_tail, of_nothing_shows_nothing) {
  EXPECT_EQ(rank_sum_tail(numbers{}, numbers{1}), 1);
  EXPECT_EQ(rank_sum_tail(numbers{1}, numbers{}), 1);
}

}  // namespace
}  // namespace syncmeter
