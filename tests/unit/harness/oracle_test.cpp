// The oracles against hand-made outcomes: each kind accepts what is right and names what is not.
#include "core/harness/oracle.hpp"

#include <array>

#include <gmock/gmock.h>

namespace syncmeter::oracle_test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

template <class T> std::uint64_t bits(T value) { return std::bit_cast<bits_of<T>>(value); }

TEST(oracle, takes_the_right_value_of_a_cell_and_names_every_other) {
  struct row {
    oracle kind;
    value_type type;
    std::uint64_t ops_per_lane;
    std::vector<lane_outcome> lanes;
    std::uint64_t final_bits;
    const char* complaint;  // "" where the value is right
  };
  using enum value_type;
  const std::vector<lane_outcome> extremes{{0, bits(-3)}, {0, bits(8)}};
  for (const auto& [kind, type, n, lanes, final_bits, complaint] : {
           row{oracle::adds, int32, 10, {{}, {}}, 20, ""},
           row{oracle::adds, int32, 10, {{}, {}}, 19, "is 19"},
           row{oracle::adds, int32, 1ULL << 33, {{}}, 0, ""},  // it wraps
           row{oracle::subtracts, uint64, 3, {{}}, ~0ULL - 2, ""},
           // A float's sum of ones stops at 2 to the 24.
           row{oracle::adds, float32, 1U << 20, {{}}, bits(0x1p20F), ""},
           row{oracle::adds, float32, 1U << 26, {{}}, bits(0x1p24F), ""},
           row{oracle::adds, float32, 1U << 26, {{}}, bits(0x1p25F), "expected"},
           row{oracle::subtracts, float64, 5, {{}}, bits(-5.0), ""},
           // Of the lanes' last operands.
           row{oracle::raises, int32, 8, extremes, bits(8), ""},
           row{oracle::raises, int32, 8, extremes, bits(7), "expected 8"},
           row{oracle::lowers, int32, 8, extremes, bits(-3), ""},
           // What is unchanged also returned nothing else.
           row{oracle::unchanged, uint64, 8, {{0, 0}}, 7, ""},
           row{oracle::unchanged, uint64, 8, {{0, 0}}, 8, "is 8"},
           row{oracle::unchanged, uint64, 8, {{0, 0}, {4, 0}}, 7, "thread 1"},
           // Lane 0 writes 2 and 3, lane 1 writes 3 and 4. In turn, 0 2 | 3 3 come back and 4 is
           // left.
           row{oracle::exchanges, uint32, 2, {{0ULL + 3 - 5, 3}, {2ULL + 3 - 7, 4}}, 4, ""},
           row{oracle::exchanges,
               uint32,
               2,
               {{0ULL + 3 - 5, 3}, {3ULL + 3 - 7, 4}},
               4,
               "lost or duplicated"},
       }) {
    const std::array cells{final_bits};
    const std::string found = check({.kind = kind,
                                     .type = type,
                                     .one_cell = true,
                                     .ops_per_lane = n,
                                     .lanes = lanes,
                                     .cells = cells,
                                     .second_cells = {}});
    EXPECT_EQ(found.empty(), std::string_view{complaint}.empty()) << found;
    EXPECT_THAT(found, HasSubstr(complaint));
  }
}

TEST(oracle, results_without_a_cell_agree_in_every_lane) {
  const std::vector<lane_outcome> right{{0, 5}, {0, 6}}, wrong{{0, 5}, {2, 5}};
  sample_outcome outcome{};
  outcome.kind = oracle::agreed;
  outcome.lanes = right;
  EXPECT_THAT(check(outcome), IsEmpty());
  outcome.lanes = wrong;
  EXPECT_THAT(check(outcome), HasSubstr("thread 1 got a wrong result"));
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
  EXPECT_THAT(check(outcome), HasSubstr("no thread wrote"));
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
  EXPECT_THAT(check(outcome),
              HasSubstr("variable 1 is 14 after 5 operations on each of 3 threads"));
}

}  // namespace
}  // namespace syncmeter::oracle_test
