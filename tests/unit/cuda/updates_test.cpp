// Which cells the lanes of a scatter-add add to, and what: what a GPU's lanes do, and what its
// results are checked against.
#include <array>
#include <cmath>
#include <map>
#include <set>

#include <gmock/gmock.h>

#include "backends/cuda/accumulate/updates.hpp"

namespace syncmeter::cuda {
namespace {

TEST(accumulate_updates, few_cells_are_met_by_all_lanes_about_as_often) {
  constexpr update_set few{.cells = 32, .lanes = 1024};
  std::map<std::uint32_t, int> met;
  for (std::uint32_t lane = 0; lane < few.lanes; ++lane) {
    lane_updates of = updates_of(lane, few);
    for (int n = 0; n < 100; ++n) {
      go_on(of);
      ++met[cell_of_update(of, few.cells)];
    }
  }
  ASSERT_EQ(met.size(), few.cells);
  for (const auto& [cell, times] : met) EXPECT_NEAR(times, 3200, 300) << cell;
}

TEST(accumulate_updates, one_cell_is_met_by_all) {
  for (const std::uint32_t lane : {0U, 1U, 31U, 135167U}) {
    lane_updates of = updates_of(lane, {.cells = 1, .lanes = 135168});
    for (int n = 0; n < 50; ++n) {
      go_on(of);
      ASSERT_EQ(cell_of_update(of, 1), 0U);
    }
  }
}

// The count of lanes is no power of two on most devices.
TEST(accumulate_updates, with_as_many_cells_as_lanes_no_two_lanes_meet_in_a_step) {
  constexpr update_set many{.cells = 4096, .lanes = 3 * 1024};
  std::vector<lane_updates> all;
  for (std::uint32_t lane = 0; lane < many.lanes; ++lane) all.push_back(updates_of(lane, many));
  std::set<std::uint32_t> of_first;
  for (int n = 0; n < 300; ++n) {
    std::set<std::uint32_t> met;
    for (lane_updates& of : all) {
      go_on(of);
      met.insert(cell_of_update(of, many.cells));
    }
    ASSERT_EQ(met.size(), many.lanes) << n;
    of_first.insert(cell_of_update(all.front(), many.cells));
    const auto next = (cell_of_update(all.front(), many.cells) + 1) % many.cells;
    ASSERT_EQ(cell_of_update(all.at(1), many.cells), next) << "neighbours lie side by side";
  }
  EXPECT_EQ(of_first.size(), 4U) << "a lane goes on, by 3072 of 4096 cells";
}

// A sum that goes up and down is exact in a float, and every add that is lost shows in it.
TEST(accumulate_updates, exact_values_are_odd_integers_of_both_signs_and_rounded_ones_are_not) {
  std::int64_t negative = 0, adds = 0;
  for (std::uint32_t lane = 0; lane < 2048; ++lane) {
    lane_updates exact = updates_of(lane, {.cells = 32, .lanes = 2048});
    EXPECT_EQ(exact.parts % 2, 1U);
    EXPECT_LT(exact.parts, 128U);
    for (int n = 0; n < 64; ++n, ++adds) {
      go_on(exact);
      negative += sign_of_update(exact) != 0 ? 1 : 0;
    }
    lane_updates rounded = updates_of(lane, {.cells = 32, .lanes = 2048, .rounded = true});
    go_on(rounded);
    EXPECT_EQ(sign_of_update(rounded), 0U);
    EXPECT_GE(rounded.parts, parts_of_rounded / 2);
    EXPECT_LT(rounded.parts, parts_of_rounded);
  }
  EXPECT_NEAR(static_cast<double>(negative), static_cast<double>(adds) / 2,
              static_cast<double>(adds) / 50);
}

/// How many of 8 cells are wrong where 96 lanes add by 50 updates each, and one of all is lost.
template <class T> unsigned wrong_cells(bool rounded, int lost) {
  const update_set all{.cells = 8, .lanes = 96, .rounded = rounded};
  std::array<T, 8> held{};
  std::array<long long, 8> parts{};
  int number = 0;
  for (std::uint32_t lane = 0; lane < all.lanes; ++lane) {
    lane_updates of = updates_of(lane, all);
    for (int n = 0; n < 50; ++n, ++number) {
      go_on(of);
      const std::uint32_t cell = cell_of_update(of, all.cells);
      parts.at(cell) += parts_of_update(of);
      if (number != lost)
        held.at(cell) += static_cast<T>(sum_of_parts(parts_of_update(of), rounded));
    }
  }
  unsigned wrong = 0;
  for (std::size_t i = 0; i < held.size(); ++i) {
    const double sum = sum_of_parts(parts.at(i), rounded);
    const double error = std::abs(static_cast<double>(held.at(i)) - sum);
    wrong += error > allowed_error(sum, rounded) ? 1 : 0;
  }
  return wrong;
}

TEST(accumulate_updates, an_add_that_is_lost_is_seen_in_floats_and_doubles) {
  for (const bool rounded : {false, true}) {
    EXPECT_EQ(wrong_cells<float>(rounded, -1), 0U);
    EXPECT_EQ(wrong_cells<double>(rounded, -1), 0U);
    for (const int lost : {0, 49, 2400, 4799}) {
      EXPECT_EQ(wrong_cells<float>(rounded, lost), 1U) << lost;
      EXPECT_EQ(wrong_cells<double>(rounded, lost), 1U) << lost;
    }
  }
}

// An op is told by one number which way it goes and what it adds.
TEST(accumulate_updates, each_way_is_one_of_floats_and_one_of_doubles) {
  for (const bool doubles : {false, true}) {
    for (const adding how : {adding::atomic, adding::cas, adding::block_match}) {
      const accumulation found = from_kind(to_kind({how, doubles}));
      EXPECT_EQ(found.how, how);
      EXPECT_EQ(found.doubles, doubles);
    }
  }
}

TEST(accumulate_updates, only_sums_of_floats_are_rounded) {
  EXPECT_TRUE(rounds({adding::atomic, false}));
  EXPECT_TRUE(rounds({adding::fixed, false})) << "where 32 bits behind the point are too few";
  EXPECT_FALSE(rounds({adding::atomic, true}));
  EXPECT_FALSE(rounds({adding::integer, false}));
}

TEST(accumulate_updates, a_cell_has_the_size_of_what_is_added) {
  EXPECT_EQ(cell_size({adding::atomic, false}), sizeof(float));
  EXPECT_EQ(cell_size({adding::atomic, true}), sizeof(double));
  EXPECT_EQ(cell_size({adding::fixed, false}), sizeof(std::int64_t));
}

}  // namespace
}  // namespace syncmeter::cuda
