// Statistics of the tool, all pure functions on spans; no state, no clock.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace syncmeter {

/// A value with a two-sided interval; `low` <= `value` <= `high` is not guaranteed (the interval of
/// a median over visits is centred, that of order statistics is not).
struct interval {
  double value = 0;
  double low = 0;
  double high = 0;
  friend bool operator==(const interval&, const interval&) = default;
};

/// Median; the mean of the two middle values when the size is even. Throws std::invalid_argument
/// when empty.
[[nodiscard]] double median(std::span<const double> values);

/// Median with the exact distribution-free interval from order statistics x(r), x(n+1-r): the
/// largest r with coverage 1 - 2 P(Binomial(n, 1/2) < r) >= `confidence` (Conover, Practical
/// Nonparametric Statistics, 3.2). When even the extremes do not reach it (n < 6 at 95 %) they are
/// returned. Throws std::invalid_argument when empty, or for a confidence outside (0, 1); so do all
/// below.
[[nodiscard]] interval median_interval(std::span<const double> values, double confidence = 0.95);

/// The r (1-based) that median_interval uses; 1 when the extremes do not reach the confidence.
[[nodiscard]] std::size_t median_rank(std::size_t n, double confidence = 0.95);

/// Coverage of (x(r), x(n+1-r)): 1 - 2 P(Binomial(n, 1/2) < r); 0 when the two ranks meet or cross.
[[nodiscard]] double median_coverage(std::size_t n, std::size_t r);

/// Median of `visit_medians` with its interval over visits (docs/evidence/intervals.md).
/// From five visits on order statistics, interpolated between ranks (Hettmansperger and Sheather
/// 1986), whatever the distribution; below, Student's t, median +- e t(n-1) s / sqrt(n) with e from
/// scatter_of_median(n), at least as wide as the range. On logarithms where every value is
/// positive, so that a point whose every visit is resolved is resolved. With one value the interval
/// is infinite. Throws std::invalid_argument when empty.
[[nodiscard]] interval over_visits(std::span<const double> visit_medians, double confidence = 0.95);

/// Standard deviation of the median of n normal values over that of their mean: 1 for n <= 2, 1.20
/// at n = 5, towards sqrt(pi / 2). A fit that is within 1 % of the exact values of the order
/// statistics.
[[nodiscard]] double scatter_of_median(std::size_t n);

/// Two-sided Student t quantile for `confidence` and `degrees` >= 1 degrees of freedom.
[[nodiscard]] double student_t(double confidence, std::size_t degrees);

/// Sample standard deviation (n - 1); 0 for fewer than two values.
[[nodiscard]] double standard_deviation(std::span<const double> values);

/// Jain's fairness index (sum x)^2 / (n sum x^2) of the lanes' rates: 1 when equal, 1/n when one
/// has all. 1 when there are none, or all are 0.
[[nodiscard]] double jain_index(std::span<const double> rates);

/// Upper bounds between state classes: sorts the values and cuts wherever neighbours are at least
/// `gap` apart in ratio and both parts keep at least `min_share` of all values. Stray values, near
/// which (within gap^(1/4) either way) lie fewer than half of `min_share`, do not count as
/// neighbours, and values that are not positive and finite not at all. Returns the geometric middle
/// of each cut, ascending; empty when there is one class. Throws std::invalid_argument unless `gap`
/// > 1.
[[nodiscard]] std::vector<double> class_bounds(std::span<const double> values, double gap = 1.5,
                                               double min_share = 0.02);

}  // namespace syncmeter
