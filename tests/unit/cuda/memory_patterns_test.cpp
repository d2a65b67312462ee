// Where the lanes of a warp read, and what a path makes of a word: what a GPU's lanes do, and what
// its results are checked against.
#include <set>

#include <gmock/gmock.h>

#include "backends/cuda/coalescing/patterns.hpp"
#include "backends/cuda/divergence/divergence_paths.hpp"

namespace syncmeter::cuda {
namespace {

constexpr working_set small{.bytes = 1 << 20, .lanes = 4096, .size = 8};

// Different lines or sectors that the first warp touches at once.
std::size_t parts(pattern how, unsigned part_bytes, unsigned size = 8) {
  working_set r = small;
  r.size = size;
  std::set<std::uint32_t> seen;
  for (unsigned lane = 0; lane < warp_size; ++lane)
    seen.insert(offsets_of(how, lane, r).first / part_bytes);
  return seen.size();
}

TEST(memory_patterns, a_warp_touches_as_many_lines_as_its_pattern_says) {
  EXPECT_EQ(parts(pattern::coalesced, line_bytes), 1U);
  EXPECT_EQ(parts(pattern::permuted, line_bytes), 1U);
  EXPECT_EQ(parts(pattern::permuted, word_bytes), warp_size) << "each word once";
  EXPECT_EQ(parts(pattern::broadcast, word_bytes), 1U);
  EXPECT_EQ(parts(pattern::misaligned, line_bytes, 4), 2U);
  EXPECT_EQ(parts(pattern::misaligned, line_bytes, line_bytes), 1U);
  EXPECT_EQ(parts(pattern::strided, line_bytes, 1), 1U);
  EXPECT_EQ(parts(pattern::strided, line_bytes, 3), 3U);
  EXPECT_EQ(parts(pattern::strided, line_bytes, 32), 32U);
  EXPECT_EQ(parts(pattern::column_walk, line_bytes), 1U);
  EXPECT_EQ(parts(pattern::row_walk, line_bytes), 32U);
}

TEST(memory_patterns, all_offsets_stay_in_the_working_set_and_on_words) {
  for (const pattern how :
       {pattern::coalesced, pattern::permuted, pattern::broadcast, pattern::misaligned,
        pattern::strided, pattern::random, pattern::row_walk, pattern::column_walk}) {
    for (const unsigned lane : {0U, 31U, 32U, 4095U}) {
      const lane_offsets c = offsets_of(how, lane, small);
      EXPECT_LT(c.first, small.bytes);
      EXPECT_EQ(c.first % word_bytes, 0U);
      EXPECT_EQ(c.step % word_bytes, 0U);
      EXPECT_GT(c.step, 0U) << "another word at every step";
    }
  }
}

TEST(memory_patterns, warps_side_by_side_share_no_line_and_step_over_each_other) {
  const lane_offsets first = offsets_of(pattern::strided, 0, small),
                     second = offsets_of(pattern::strided, warp_size, small);
  EXPECT_EQ(second.first - first.first, small.size * line_bytes);
  EXPECT_EQ(first.step, small.lanes / warp_size * small.size * line_bytes);
}

TEST(memory_patterns, a_row_walk_goes_word_by_word_and_a_column_walk_row_by_row) {
  EXPECT_EQ(row_bytes_of(small.bytes), 2048U) << "2^18 words are 512 rows of 512";
  EXPECT_EQ(offsets_of(pattern::row_walk, 1, small).first, 2048U);
  EXPECT_EQ(offsets_of(pattern::row_walk, 1, small).step, word_bytes);
  EXPECT_EQ(offsets_of(pattern::column_walk, 1, small).first, word_bytes);
  EXPECT_EQ(offsets_of(pattern::column_walk, 1, small).step, 2048U);
  EXPECT_NE(offsets_of(pattern::row_walk, 512, small).first, 0U) << "lane 0's row, further along";
}

TEST(memory_patterns, as_many_lanes_meet_in_a_bank_as_are_asked_for) {
  for (const unsigned ways : {1U, 2U, 3U, 8U, 31U, 32U}) {
    std::array<std::set<std::uint32_t>, warp_size> words;
    for (unsigned lane = 0; lane < warp_size; ++lane) {
      const std::uint32_t word = bank_offset_of(lane, ways) / word_bytes;
      ASSERT_LT(word, bank_bytes / word_bytes);
      words.at(word % warp_size).insert(word);
    }
    std::size_t most = 0;
    for (const auto& bank : words) most = std::max(most, bank.size());
    EXPECT_EQ(most, ways);
  }
}

TEST(divergence_paths, each_path_makes_another_word_and_ops_take_one_path_after_the_other) {
  std::set<std::uint32_t> words;
  for (unsigned path = 0; path < most_paths; ++path) words.insert(word_after(1, path, most_paths));
  EXPECT_EQ(words.size(), most_paths);
  EXPECT_EQ(word_after(0, 5, most_paths), first_word);
  EXPECT_EQ(word_after(3, 1, 2), word_after(3, 3, 2)) << "paths come round";
  EXPECT_NE(word_after(3, 1, 2), word_after(3, 1, 4));
}

}  // namespace
}  // namespace syncmeter::cuda
