// Launches by Kokkos on a GPU: which there are, and what a lost or doubled index is called.
#include "backends/kokkos/kokkos_launch_rules.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace syncmeter::kokkos {
namespace {

using testing::HasSubstr;

constexpr unsigned no_teams = 0;

TEST(kokkos_launch, has_as_many_indices_as_an_int_holds) {
  EXPECT_EQ(why_no_launch({.blocks = 132, .lanes = 1024}, no_teams), "");
  EXPECT_EQ(why_no_launch({.blocks = (1U << 21U) - 1, .lanes = 1024}, no_teams), "");
  EXPECT_THAT(why_no_launch({.blocks = 1U << 21U, .lanes = 1024}, no_teams),
              HasSubstr("--blocks 2097152 x --threads 1024: Kokkos counts them as an int"));
  EXPECT_NE(why_no_launch({.blocks = 1U << 22U, .lanes = 1024}, no_teams), "") << "0 of 32 bits";
}

TEST(kokkos_launch, has_no_team_that_is_larger_than_kokkos_own) {
  EXPECT_EQ(why_no_launch({.blocks = 132, .lanes = 512}, 512), "");
  EXPECT_THAT(why_no_launch({.blocks = 132, .lanes = 513}, 512),
              HasSubstr("--threads 513: a team of this kernel has at most 512 members"));
  EXPECT_EQ(why_no_launch({.blocks = 132, .lanes = 513}, no_teams), "") << "blocks are Kokkos' own";
}

TEST(kokkos_launch, has_all_lanes_of_a_warp) {
  EXPECT_THAT(why_no_launch({.lanes = 32, .active = 32}, no_teams), HasSubstr("--active"));
}

TEST(kokkos_launch, counts_each_index_once) {
  const launch_shape wide{.blocks = 132, .lanes = 1024};
  EXPECT_EQ(wrong_count("launch_for", 135'168, wide), "");
  EXPECT_EQ(wrong_count("launch_for", 135'167, wide),
            "oracle: 135167 indices or members ran in one launch_for, expected 135168");
  EXPECT_NE(wrong_count("launch_for", 135'169, wide), "");
  EXPECT_NE(wrong_count("launch_team", 132, wide), "") << "one member of each team";
}

TEST(kokkos_launch, sums_wrap_around_as_on_the_device) {
  const launch_shape wide{.blocks = 132, .lanes = 1024};
  std::uint32_t sum = 0;
  constexpr std::uint32_t value = 40'000;  // 135,168 of them are more than 2^32
  for (unsigned i = 0; i < wide.blocks * wide.lanes; ++i) sum += value;
  EXPECT_EQ(expected_sum(value, wide), sum);
  EXPECT_NE(expected_sum(value, wide), expected_sum(value + 1, wide)) << "the last one's is no sum";
}

}  // namespace
}  // namespace syncmeter::kokkos
