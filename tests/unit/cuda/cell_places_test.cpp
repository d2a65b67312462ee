#include "backends/cuda/lane/cell_places.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace syncmeter::cuda {
namespace {

constexpr std::size_t few_bytes = 4096;

std::vector<std::size_t> offsets(const cell_places& places) {
  const std::span used = std::span{places.offset}.first(places.count);
  return {used.begin(), used.end()};
}

TEST(CellPlaces, AreAlignedForEveryCountAndLieInTheMemory) {
  for (unsigned count = 1; count <= cell_places::most; ++count) {
    for (const std::size_t offset : offsets(spread(count, count, few_bytes))) {
      EXPECT_EQ(offset % cell_alignment, 0U) << count << " launches";
      EXPECT_LT(offset, roaming_bytes) << count << " launches";
    }
  }
}

TEST(CellPlaces, OfOneSampleDoNotMeet) {
  for (std::uint64_t draw = 1, n = 0; n < 1000; ++n, draw = next_draw(draw)) {
    auto found = offsets(spread(draw, cell_places::most, few_bytes));
    std::sort(found.begin(), found.end());
    for (std::size_t i = 1; i < found.size(); ++i)
      ASSERT_GE(found[i] - found[i - 1], few_bytes) << "draw " << draw;
  }
}

TEST(CellPlaces, OfASingleLaunchRoamOverAllOfTheMemory) {
  std::size_t furthest = 0;
  for (std::uint64_t draw = 1, n = 0; n < 1000; ++n, draw = next_draw(draw))
    furthest = std::max(furthest, spread(draw, 1, few_bytes).offset[0]);
  EXPECT_GT(furthest, roaming_bytes / 100 * 98);
}

}  // namespace
}  // namespace syncmeter::cuda
