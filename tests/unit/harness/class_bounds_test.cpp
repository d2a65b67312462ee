// Classes of placement states: where a sample of hops has gaps.
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/harness/stats.hpp"

namespace syncmeter::class_bounds_test {
namespace {

using ::testing::DoubleEq;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// `share` of 1000 values around each of the centres, in a band of 5 % either way.
std::vector<double> hops(std::initializer_list<std::pair<double, double>> centres_and_shares) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<> band(0.95, 1.05);
  std::vector<double> values;
  for (const auto& [centre, share] : centres_and_shares) {
    for (int i = 0; i < static_cast<int>(1000 * share); ++i)
      values.push_back(centre * band(random));
  }
  std::shuffle(values.begin(), values.end(), random);
  return values;
}

TEST(ClassBounds, CutsAtTheGeometricMiddle) {
  EXPECT_THAT(class_bounds(std::vector{40.0, 10.0, 40.0, 10.0, 10.0}), ElementsAre(DoubleEq(20)));
  EXPECT_THAT(class_bounds(std::vector{0.4, 0.1, 0.4, 0.1, 0.1}), ElementsAre(DoubleEq(0.2)));
}

TEST(ClassBounds, FindsEveryState) {
  const auto bounds = class_bounds(hops({{11, 0.5}, {28, 0.3}, {118, 0.2}}));
  EXPECT_THAT(bounds, ElementsAre(DoubleNear(std::sqrt(11.0 * 28), 1),
                                  DoubleNear(std::sqrt(28.0 * 118), 4)));
}

TEST(ClassBounds, OneStateHasNone) {
  EXPECT_THAT(class_bounds(hops({{28, 1.0}})), IsEmpty());
  EXPECT_THAT(class_bounds({}), IsEmpty());
  EXPECT_THAT(class_bounds(std::vector{5.0}), IsEmpty());
}

TEST(ClassBounds, AGapIsARatio) {
  EXPECT_THAT(class_bounds(std::vector{100.0, 149.0}), IsEmpty());
  EXPECT_THAT(class_bounds(std::vector{100.0, 150.0}).size(), 1U);
  EXPECT_THAT(class_bounds(std::vector{100.0, 150.0}, 2.0), IsEmpty());
}

TEST(ClassBounds, AFewOutliersAreNoState) {
  EXPECT_THAT(class_bounds(hops({{28, 0.985}, {400, 0.015}})), IsEmpty());
  EXPECT_THAT(class_bounds(hops({{28, 0.97}, {400, 0.03}})).size(), 1U);
}

TEST(ClassBounds, ValuesCaughtInAChangeDoNotBridgeTwoStates) {
  auto values = hops({{11, 0.6}, {28, 0.38}});
  for (double stray = 12; stray < 27; stray *= 1.09) values.push_back(stray);
  EXPECT_THAT(class_bounds(values), ElementsAre(DoubleNear(std::sqrt(11.0 * 28), 1)));
}

TEST(ClassBounds, ValuesThatAreNoTimesAreLeftOut) {
  const double nan = std::nan("");
  EXPECT_THAT(class_bounds(
                  std::vector{0.0, -1.0, nan, 10.0, 40.0, std::numeric_limits<double>::infinity()}),
              ElementsAre(DoubleEq(20)));
}

TEST(ClassBounds, RefusesAGapThatIsNone) {
  EXPECT_THROW((void)class_bounds(std::vector{1.0, 2.0}, 1.0), std::invalid_argument);
}

}  // namespace
}  // namespace syncmeter::class_bounds_test
