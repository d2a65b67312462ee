#include "backends/cuda/lane/cell_places.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <span>
#include <vector>

namespace syncmeter::cuda {
namespace {

std::vector<std::size_t> offsets(const cell_places& places) {
  const std::span used = std::span{places.offset}.first(places.count);
  return {used.begin(), used.end()};
}

TEST(CellPlaces, AreAlignedForEveryCountAndLieInTheMemory) {
  for (unsigned count = 1; count <= cell_places::most; count *= 2) {
    for (const std::size_t offset : offsets(spread(count, count))) {
      EXPECT_EQ(offset % cell_alignment, 0U) << count << " launches";
      EXPECT_LT(offset, roaming_bytes) << count << " launches";
    }
  }
}

TEST(CellPlaces, OfOneSampleDoNotMeet) {
  for (std::uint64_t draw = 1, n = 0; n < 1000; ++n, draw = next_draw(draw)) {
    auto found = offsets(spread(draw, cell_places::most));
    std::sort(found.begin(), found.end());
    for (std::size_t i = 1; i < found.size(); ++i)
      ASSERT_GE(found[i] - found[i - 1], few_bytes) << "draw " << draw;
  }
}

TEST(CellPlaces, OfOneSampleLieOnOnePage) {
  for (std::uint64_t draw = 1, n = 0; n < 1000; ++n, draw = next_draw(draw))
    for (const std::size_t offset : offsets(spread(draw, cell_places::most)))
      ASSERT_EQ(offset >> 21U, offset_of(draw) >> 21U) << "draw " << draw;
}

// Those of an H200, of which an address in the far half of L2 has an odd number.
TEST(CellPlaces, OfOneSampleAreNearAsOftenAsFar) {
  constexpr std::size_t far_bits = 1U << 12U | 1U << 13U | 1U << 15U | 1U << 17U | 1U << 19U;
  for (const unsigned count : {4U, cell_places::most}) {
    unsigned even_shares = 0, all_near = 0, all_far = 0;
    for (std::uint64_t draw = 1, n = 0; n < 1000; ++n, draw = next_draw(draw)) {
      const auto found = offsets(spread(draw, count));
      const auto far = std::count_if(found.begin(), found.end(), [](std::size_t offset) {
        return std::popcount(offset & far_bits) % 2 == 1;
      });
      even_shares += 2 * far == count;
      all_near += far == 0;
      all_far += far == count;
    }
    EXPECT_EQ(even_shares + all_near + all_far, 1000U);
    EXPECT_GT(even_shares, count == 4 ? 650U : 900U) << "all but one of " << count;
    EXPECT_NEAR(all_near, all_far, 60) << "neither is met more often";
  }
}

TEST(CellPlaces, BeginElsewhereInEachVisit) {
  std::vector<std::size_t> first;
  for (unsigned visit = 1; visit <= 100; ++visit) first.push_back(offset_of(first_draw(visit)));
  std::sort(first.begin(), first.end());
  EXPECT_EQ(std::unique(first.begin(), first.end()), first.end());
  EXPECT_GT(first.back() - first.front(), roaming_bytes / 100 * 90) << "all over the memory";
}

TEST(CellPlaces, OfASingleLaunchRoamOverAllOfTheMemory) {
  std::size_t furthest = 0;
  for (std::uint64_t draw = 1, n = 0; n < 1000; ++n, draw = next_draw(draw))
    furthest = std::max(furthest, spread(draw, 1).offset[0]);
  EXPECT_GT(furthest, roaming_bytes / 100 * 98);
}

}  // namespace
}  // namespace syncmeter::cuda
