// Statistics against closed forms, exact binomial sums and published tables.
#include "core/harness/stats.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <random>
#include <stdexcept>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace syncmeter::stats_test {
namespace {

using ::testing::DoubleNear;

// 2^n x P(Binomial(n, 1/2) < r) in integers: exact, and another way than the one under test.
std::uint64_t subsets_smaller_than(unsigned r, unsigned n) {
  std::uint64_t choose = 1;
  std::uint64_t sum = 0;
  for (unsigned k = 0; k < r; ++k) {
    sum += choose;
    choose = choose * (n - k) / (k + 1);
  }
  return sum;
}

TEST(Median, OddIsTheMiddleEvenIsTheMeanOfTwo) {
  EXPECT_EQ(median(std::vector{3.0, 1.0, 2.0}), 2);
  EXPECT_EQ(median(std::vector{4.0, 1.0, 3.0, 2.0}), 2.5);
  EXPECT_EQ(median(std::vector{-7.0}), -7);
}

TEST(Median, OfNothingIsRefused) {
  EXPECT_THROW((void)median({}), std::invalid_argument);
  EXPECT_THROW((void)median_interval({}), std::invalid_argument);
  EXPECT_THROW((void)over_visits({}), std::invalid_argument);
}

TEST(MedianCoverage, IsTheExactBinomialSum) {
  for (unsigned n = 1; n <= 50; ++n) {
    for (unsigned r = 1; 2 * r <= n; ++r) {
      const double exact =
          1 - std::ldexp(static_cast<double>(subsets_smaller_than(r, n)), 1 - static_cast<int>(n));
      EXPECT_NEAR(median_coverage(n, r), exact, 1e-13) << "n " << n << " r " << r;
    }
  }
}

TEST(MedianCoverage, OfRanksThatMeetIsNothing) {
  EXPECT_EQ(median_coverage(5, 3), 0);
  EXPECT_EQ(median_coverage(6, 4), 0);
  EXPECT_EQ(median_coverage(0, 1), 0);
}

TEST(MedianRank, IsTheTabulatedOneOfTheSignTest) {
  // Largest r with 2 P(Binomial(n, 1/2) < r) <= 0.05: the critical values of the sign test, plus
  // one.
  EXPECT_EQ(median_rank(6), 1U);
  EXPECT_EQ(median_rank(8), 1U);
  EXPECT_EQ(median_rank(9), 2U);
  EXPECT_EQ(median_rank(11), 2U);
  EXPECT_EQ(median_rank(12), 3U);
  EXPECT_EQ(median_rank(15), 4U);
  EXPECT_EQ(median_rank(20), 6U);
  EXPECT_EQ(median_rank(25), 8U);
  EXPECT_EQ(median_rank(100), 40U);
}

TEST(MedianRank, AtOtherConfidences) {
  EXPECT_EQ(median_rank(11, 0.99), 1U);  // 1 - 2/2048 has it, 1 - 24/2048 has not
  EXPECT_EQ(median_rank(11, 0.98), 2U);
  EXPECT_EQ(median_rank(20, 0.5), 8U);  // P(Binomial(20, 1/2) < 8) = 0.13, < 9: 0.2517
}

TEST(MedianRank, IsTheLastWithTheConfidenceForEverySize) {
  for (std::size_t n = 6; n <= 3000; n += 1 + n / 7) {
    const std::size_t r = median_rank(n);
    EXPECT_GE(median_coverage(n, r), 0.95) << n;
    EXPECT_LT(median_coverage(n, r + 1), 0.95) << n;
    // The normal approximation is within one rank from there on.
    const double about =
        static_cast<double>(n + 1) / 2 - 1.959964 * std::sqrt(static_cast<double>(n)) / 2;
    EXPECT_NEAR(static_cast<double>(r), about, 1) << n;
  }
}

TEST(MedianRank, IsOneWhereTheExtremesDoNotReach) {
  for (const std::size_t n : {0U, 1U, 2U, 5U}) EXPECT_EQ(median_rank(n), 1U);
}

TEST(MedianRank, RefusesWhatIsNoConfidence) {
  EXPECT_THROW((void)median_rank(11, 1), std::invalid_argument);
  EXPECT_THROW((void)median_rank(11, 0), std::invalid_argument);
  EXPECT_THROW((void)median_rank(11, 95), std::invalid_argument);
  EXPECT_THROW((void)median_rank(11, std::nan("")), std::invalid_argument);
}

TEST(MedianInterval, TakesTheRanksFromBothEnds) {
  const std::vector values{110.0, 20.0, 30.0, 100.0, 50.0, 60.0, 10.0, 80.0, 90.0, 40.0, 70.0};
  EXPECT_EQ(median_interval(values), (interval{.value = 60, .low = 20, .high = 100}));
}

TEST(MedianInterval, TakesTheExtremesOfFew) {
  EXPECT_EQ(median_interval(std::vector{3.0, 1.0, 2.0}),
            (interval{.value = 2, .low = 1, .high = 3}));
  EXPECT_EQ(median_interval(std::vector{4.0}), (interval{.value = 4, .low = 4, .high = 4}));
}

TEST(MedianInterval, CoversTheMedianOfASkewedLawAsOftenAsItSays) {
  std::mt19937_64 random(42);
  std::exponential_distribution<> law;
  constexpr int repeats = 4000;
  int covered = 0;
  for (int i = 0; i < repeats; ++i) {
    std::vector<double> values(15);
    for (double& value : values) value = law(random);
    const interval found = median_interval(values);
    covered += found.low <= std::numbers::ln2 && std::numbers::ln2 <= found.high ? 1 : 0;
  }
  // Three standard errors around the exact coverage.
  const double exact = median_coverage(15, 4);
  EXPECT_NEAR(static_cast<double>(covered) / repeats, exact,
              3 * std::sqrt(exact * (1 - exact) / repeats));
}

TEST(StudentT, MatchesItsClosedForms) {
  // One degree is Cauchy's law, two have an algebraic quantile.
  for (const double confidence : {0.5, 0.9, 0.95, 0.99}) {
    EXPECT_NEAR(student_t(confidence, 1), std::tan(std::numbers::pi * confidence / 2), 1e-9);
    EXPECT_NEAR(student_t(confidence, 2), confidence * std::sqrt(2 / (1 - confidence * confidence)),
                1e-9);
  }
}

TEST(StudentT, MatchesTheTables) {
  EXPECT_NEAR(student_t(0.95, 4), 2.776445, 1e-6);
  EXPECT_NEAR(student_t(0.95, 9), 2.262157, 1e-6);
  EXPECT_NEAR(student_t(0.95, 30), 2.042272, 1e-6);
  EXPECT_NEAR(student_t(0.99, 4), 4.604095, 1e-6);
  EXPECT_NEAR(student_t(0.95, 1'000'000'000), 1.959964, 1e-6);
}

TEST(StudentT, RefusesNoDegreesAndNoConfidence) {
  EXPECT_THROW((void)student_t(0.95, 0), std::invalid_argument);
  EXPECT_THROW((void)student_t(1, 4), std::invalid_argument);
}

TEST(OverVisits, OfFourIsStudentsTOnLogarithms) {
  // Of logarithms 0, 1, 2, 3: s = sqrt(5 / 3), t(3) = 3.182446305.
  const interval found = over_visits(std::vector{1.0, std::exp(1.0), std::exp(2.0), std::exp(3.0)});
  const double half_width = scatter_of_median(4) * 3.182446305 * std::sqrt(5.0 / 3) / 2;
  EXPECT_THAT(found.value, DoubleNear((std::exp(1.0) + std::exp(2.0)) / 2, 1e-12));
  EXPECT_THAT(std::log(found.low), DoubleNear(1.5 - half_width, 1e-8));
  EXPECT_THAT(std::log(found.high), DoubleNear(1.5 + half_width, 1e-8));
}

TEST(OverVisits, OfValuesThatAreNotAllPositiveStaysOnTheirScale) {
  const interval found = over_visits(std::vector{-1.0, 0.0, 1.0});
  const double half_width = scatter_of_median(3) * 4.302652730 / std::sqrt(3.0);
  EXPECT_THAT(found.low, DoubleNear(-half_width, 1e-8));
  EXPECT_THAT(found.high, DoubleNear(half_width, 1e-8));
}

// Student's t alone ends at 10 to the 0.87.
TEST(OverVisits, OfFewIsAtLeastTheirRange) {
  EXPECT_THAT(over_visits(std::vector{1.0, 1.0, 1.0, 10.0}).high, DoubleNear(10, 1e-12));
  EXPECT_THAT(over_visits(std::vector{1.0, 10.0, 10.0, 10.0}).low, DoubleNear(1, 1e-12));
}

TEST(OverVisits, OfFiveIsTheirRange) {
  const interval found = over_visits(std::vector{24.0, 568.0, 269.0, 423.0, 500.0});
  EXPECT_EQ(found.value, 423);
  EXPECT_THAT(found.low, DoubleNear(24, 1e-10));
  EXPECT_THAT(found.high, DoubleNear(568, 1e-10));
  const interval below = over_visits(std::vector{-2.0, 1.0, 2.0, 3.0, 4.0});
  EXPECT_EQ(below.low, -2);
  EXPECT_EQ(below.high, 4);
}

TEST(OverVisits, OfMoreIsInterpolatedBetweenRanks) {
  std::vector<double> visits;
  for (int k = 0; k < 7; ++k) visits.push_back(std::exp(k));
  // Coverage of the ranks 1 and 2 of seven: 126 / 128 and 112 / 128.
  const double part = (126.0 / 128 - 0.95) / (14.0 / 128);
  const double inwards = 6 * part / (1 + 5 * part);
  const interval found = over_visits(visits);
  EXPECT_THAT(std::log(found.low), DoubleNear(inwards, 1e-9));
  EXPECT_THAT(std::log(found.high), DoubleNear(6 - inwards, 1e-9));
}

// Passive barriers: a point whose every visit is resolved is resolved.
TEST(OverVisits, OfPositiveVisitsDoesNotHoldZero) {
  EXPECT_GT(over_visits(std::vector{24e3, 568e3, 269e3, 423e3}).low, 0);
  EXPECT_GT(over_visits(std::vector{1.0, 1000.0}).low, 0);
}

// Exact: variances 1/2, 0.44867, 0.29825, 0.28683, 0.21045 of the medians of 2, 3, 4, 5, 7 normals.
TEST(OverVisits, AMedianScattersMoreThanAMean) {
  EXPECT_EQ(scatter_of_median(2), 1);
  EXPECT_THAT(scatter_of_median(3), DoubleNear(std::sqrt(0.44867 * 3), 0.01));
  EXPECT_THAT(scatter_of_median(4), DoubleNear(std::sqrt(0.29825 * 4), 0.01));
  EXPECT_THAT(scatter_of_median(5), DoubleNear(std::sqrt(0.28683 * 5), 0.01));
  EXPECT_THAT(scatter_of_median(7), DoubleNear(std::sqrt(0.21045 * 7), 0.01));
  EXPECT_THAT(scatter_of_median(1001), DoubleNear(std::sqrt(1.5708), 0.001));
}

TEST(OverVisits, CentresOnTheMedianNotOnTheMean) {
  EXPECT_EQ(over_visits(std::vector{1.0, 1.0, 1.0, 1.0, 100.0}).value, 1);
}

TEST(OverVisits, OneVisitSaysNothingOfTheSpread) {
  const interval found = over_visits(std::vector{5.0});
  EXPECT_EQ(found.value, 5);
  EXPECT_EQ(found.low, -std::numeric_limits<double>::infinity());
  EXPECT_EQ(found.high, std::numeric_limits<double>::infinity());
}

TEST(Spread, IsOfTheSample) {
  EXPECT_DOUBLE_EQ(standard_deviation(std::vector{2.0, 4.0}), std::sqrt(2.0));
  EXPECT_EQ(standard_deviation(std::vector{2.0}), 0);
}

TEST(Spread, OfSmallDifferencesOfLargeValuesIsNotRoundedAway) {
  EXPECT_NEAR(standard_deviation(std::vector{1e9 + 1, 1e9 + 2, 1e9 + 3}), 1, 1e-6);
}

TEST(Jain, FromAllEqualToOneTakesAll) {
  EXPECT_DOUBLE_EQ(jain_index(std::vector{7.0, 7.0, 7.0}), 1);
  EXPECT_DOUBLE_EQ(jain_index(std::vector{0.0, 5.0, 0.0, 0.0}), 0.25);
  EXPECT_DOUBLE_EQ(jain_index(std::vector{1.0, 3.0}), 16.0 / 20);
  EXPECT_EQ(jain_index(std::vector{0.0, 0.0}), 1);
  EXPECT_EQ(jain_index({}), 1);
}

}  // namespace
}  // namespace syncmeter::stats_test
