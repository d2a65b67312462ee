// The oracles against hand-made outcomes: each kind accepts what is right and names what is not.
#include "core/harness/oracle.hpp"

#include <array>

#include <gmock/gmock.h>

namespace syncmeter::oracle_test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

template <class T> std::uint64_t bits(T value) { return std::bit_cast<bits_of<T>>(value); }

std::string check_one_cell(oracle kind, value_type type, std::uint64_t n,
                           std::vector<lane_outcome> lanes, std::uint64_t final_bits) {
  const std::array cells{final_bits};
  return check({.kind = kind,
                .type = type,
                .one_cell = true,
                .ops_per_lane = n,
                .lanes = lanes,
                .cells = cells,
                .second_cells = {}});
}

TEST(oracle, sums_of_ones_are_exact_and_wrap) {
  EXPECT_THAT(check_one_cell(oracle::adds, value_type::int32, 10, {{}, {}}, 20), IsEmpty());
  EXPECT_THAT(check_one_cell(oracle::adds, value_type::int32, 10, {{}, {}}, 19),
              HasSubstr("is 19"));
  EXPECT_THAT(check_one_cell(oracle::adds, value_type::int32, 1ULL << 33, {{}}, 0), IsEmpty());
  EXPECT_THAT(check_one_cell(oracle::subtracts, value_type::uint64, 3, {{}}, ~0ULL - 2), IsEmpty());
}

TEST(oracle, a_float_sum_of_ones_stops_at_two_to_the_24) {
  EXPECT_THAT(check_one_cell(oracle::adds, value_type::float32, 1U << 20, {{}}, bits(0x1p20F)),
              IsEmpty());
  EXPECT_THAT(check_one_cell(oracle::adds, value_type::float32, 1U << 26, {{}}, bits(0x1p24F)),
              IsEmpty());
  EXPECT_THAT(check_one_cell(oracle::adds, value_type::float32, 1U << 26, {{}}, bits(0x1p25F)),
              HasSubstr("expected"));
  EXPECT_THAT(check_one_cell(oracle::subtracts, value_type::float64, 5, {{}}, bits(-5.0)),
              IsEmpty());
}

TEST(oracle, extremes_are_those_of_the_lanes_last_operands) {
  const std::vector<lane_outcome> lanes{{0, bits(-3)}, {0, bits(8)}};
  EXPECT_THAT(check_one_cell(oracle::raises, value_type::int32, 8, lanes, bits(8)), IsEmpty());
  EXPECT_THAT(check_one_cell(oracle::raises, value_type::int32, 8, lanes, bits(7)),
              HasSubstr("expected 8"));
  EXPECT_THAT(check_one_cell(oracle::lowers, value_type::int32, 8, lanes, bits(-3)), IsEmpty());
}

TEST(oracle, results_without_a_cell_agree_in_every_lane) {
  const std::vector<lane_outcome> right{{0, 5}, {0, 6}}, wrong{{0, 5}, {2, 5}};
  sample_outcome outcome{};
  outcome.kind = oracle::agreed;
  outcome.lanes = right;
  EXPECT_THAT(check(outcome), IsEmpty());
  outcome.lanes = wrong;
  EXPECT_THAT(check(outcome), HasSubstr("lane 1 got a wrong result"));
}

TEST(oracle, an_unchanged_cell_also_returned_nothing_else) {
  EXPECT_THAT(check_one_cell(oracle::unchanged, value_type::uint64, 8, {{0, 0}}, 7), IsEmpty());
  EXPECT_THAT(check_one_cell(oracle::unchanged, value_type::uint64, 8, {{0, 0}}, 8),
              HasSubstr("is 8"));
  EXPECT_THAT(check_one_cell(oracle::unchanged, value_type::uint64, 8, {{0, 0}, {4, 0}}, 7),
              HasSubstr("lane 1"));
}

TEST(oracle, exchanges_neither_lose_nor_double_values) {
  // Lane 0 writes 2 and 3, lane 1 writes 3 and 4. In turn, 0 2 | 3 3 come back and 4 is left.
  EXPECT_THAT(check_one_cell(oracle::exchanges, value_type::uint32, 2,
                             {{0ULL + 3 - 5, 3}, {2ULL + 3 - 7, 4}}, 4),
              IsEmpty());
  EXPECT_THAT(check_one_cell(oracle::exchanges, value_type::uint32, 2,
                             {{0ULL + 3 - 5, 3}, {3ULL + 3 - 7, 4}}, 4),
              HasSubstr("lost or duplicated"));
}

TEST(oracle, each_lanes_own_cell_is_checked_against_that_lane) {
  const std::vector<lane_outcome> lanes{{0, bits(1)}, {0, bits(2)}};
  const std::array<std::uint64_t, 2> own{bits(1), bits(2)}, swapped{bits(2), bits(1)};
  sample_outcome outcome{.kind = oracle::written,
                         .type = value_type::int32,
                         .lanes = lanes,
                         .cells = own,
                         .second_cells = {}};
  EXPECT_THAT(check(outcome), IsEmpty());
  outcome.cells = swapped;
  EXPECT_THAT(check(outcome), HasSubstr("no lane wrote"));
  outcome.cells = own;
  outcome.second_cells = swapped;
  EXPECT_THAT(check(outcome), HasSubstr("second array"));
}

TEST(oracle, a_cell_is_checked_against_the_neighbours_that_share_it) {
  const std::vector<lane_outcome> lanes(6);
  const std::array<std::uint64_t, 2> right{bits(15), bits(15)}, lost{bits(15), bits(14)};
  sample_outcome outcome{.kind = oracle::adds,
                         .type = value_type::int32,
                         .ops_per_lane = 5,
                         .lanes = lanes,
                         .cells = right,
                         .second_cells = {}};
  EXPECT_THAT(check(outcome), IsEmpty());
  outcome.cells = lost;
  EXPECT_THAT(check(outcome), HasSubstr("cell 1 is 14 after 5 ops on each of 3 lanes"));
}

}  // namespace
}  // namespace syncmeter::oracle_test
