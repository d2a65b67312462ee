// Names of ops, and the lanes of a study.
#include <gmock/gmock.h>

#include "driver/plan/study.hpp"

namespace syncmeter::studies_test {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

TEST(studies, a_pattern_fits_whole_names) {
  EXPECT_TRUE(fits("atomic_*", "atomic_add"));
  EXPECT_TRUE(fits("*", ""));
  EXPECT_TRUE(fits("*_add", "critical_named_add"));
  EXPECT_FALSE(fits("atomic", "atomic_add"));
  EXPECT_TRUE(fits("*_a*_b*", "x_a_a_b_c_b"));
  EXPECT_FALSE(fits("a*a", "a"));
  std::string many;  // in which each * would double the time where all are tried again
  for (int i = 0; i < 100; ++i) many += "*a";
  EXPECT_FALSE(fits(many + "*b", std::string(200, 'a')));
  EXPECT_FALSE(fits("atomic_*d", "atomic_sub"));
}

TEST(studies, lanes_of_each_kind) {
  EXPECT_THAT(lanes_of(lane_set::one_and_max, 6), ElementsAre(1, 6));
  EXPECT_THAT(lanes_of(lane_set::one_and_max, 1), ElementsAre(1));
  EXPECT_THAT(lanes_of(lane_set::max, 6), ElementsAre(6));
  EXPECT_THAT(lanes_of(lane_set::two_and_max, 6), ElementsAre(2, 6));
  EXPECT_THAT(lanes_of(lane_set::two_and_max, 2), ElementsAre(2));
  EXPECT_THAT(lanes_of(lane_set::two_and_max, 1), ElementsAre(1));
  EXPECT_THAT(lanes_of(lane_set::two, 6), ElementsAre(2));
  EXPECT_THAT(lanes_of(lane_set::two, 1), ElementsAre(1));
  EXPECT_THAT(lanes_of(lane_set::one_and_two, 6), ElementsAre(1, 2));
  EXPECT_THAT(lanes_of(lane_set::one_and_two, 1), ElementsAre(1));
  EXPECT_THAT(lanes_of(lane_set::powers_from_two, 6), ElementsAre(2, 4, 6));
  EXPECT_THAT(lanes_of(lane_set::powers_from_two, 1), ElementsAre(1));
  EXPECT_THAT(lanes_of(lane_set::powers, 6), ElementsAre(1, 2, 4, 6));
  EXPECT_THAT(lanes_of(lane_set::published, 5), ElementsAre(1, 2, 3, 4, 5));
  EXPECT_THAT(lanes_of(lane_set::published, 32), SizeIs(32));
  EXPECT_THAT(lanes_of(lane_set::published, 48), ElementsAre(1, 2, 4, 8, 16, 32, 48));
}
}  // namespace
}  // namespace syncmeter::studies_test
