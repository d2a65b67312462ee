// Medians and their exact intervals, Student's t over visits, fairness, and the classes of a
// histogram. The binomial and t distributions are Boost.Math's.
#include "core/harness/stats.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numbers>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/students_t.hpp>

namespace syncmeter {

namespace {

std::vector<double> sorted(std::span<const double> values) {
  std::vector<double> copy(values.begin(), values.end());
  std::sort(copy.begin(), copy.end());
  return copy;
}

double median_of_sorted(std::span<const double> values) {
  const std::size_t half = values.size() / 2;
  if (values.size() % 2 == 1) return values[half];
  return std::midpoint(values[half - 1], values[half]);
}

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

void require_confidence(double confidence) {
  if (!(confidence > 0 && confidence < 1)) {
    throw std::invalid_argument("a confidence must be between 0 and 1, not " +
                                std::to_string(confidence));
  }
}

// Without the values that fewer than half of `min_share` of all lie near to (within gap^(1/4)
// either way). A probe that saw the state change under it gives a value between two classes, and a
// handful of those would bridge any gap.
std::vector<double> without_strays(const std::vector<double>& ascending, double gap,
                                   double min_share) {
  const double reach = std::pow(gap, 0.25);
  const double wanted = min_share / 2 * static_cast<double>(ascending.size());
  std::vector<double> dense;
  dense.reserve(ascending.size());
  auto first = ascending.begin();
  auto last = ascending.begin();
  for (const double value : ascending) {
    while (*first * reach < value) ++first;
    while (last != ascending.end() && *last <= value * reach) ++last;
    if (static_cast<double>(last - first) >= wanted) dense.push_back(value);
  }
  return dense;
}

constexpr double infinity = std::numeric_limits<double>::infinity();

// The extremes of few values may miss the median this much more often than asked: those of five do
// so with 6.25 % in place of 5, whatever the distribution.
constexpr double most_misses = 1.3;

// Bounds of the median of two values or more, ascending, on the scale that they are given on.
std::pair<double, double> bounds_of_median(std::span<const double> ascending, double confidence) {
  const std::size_t n = ascending.size();
  if (1 - median_coverage(n, 1) > most_misses * (1 - confidence)) {
    const double middle = median_of_sorted(ascending);
    const double half_width = scatter_of_median(n) * student_t(confidence, n - 1) *
                              standard_deviation(ascending) / std::sqrt(static_cast<double>(n));
    return {std::min(ascending.front(), middle - half_width),
            std::max(ascending.back(), middle + half_width)};
  }
  const std::size_t r = median_rank(n, confidence);
  const double covered = median_coverage(n, r);
  if (covered <= confidence || 2 * (r + 1) > n + 1) return {ascending[r - 1], ascending[n - r]};
  const double part = (covered - confidence) / (covered - median_coverage(n, r + 1));
  const auto rank = static_cast<double>(r);
  const auto count = static_cast<double>(n);
  const double inwards = (count - rank) * part / (rank + (count - 2 * rank) * part);
  return {ascending[r - 1] + inwards * (ascending[r] - ascending[r - 1]),
          ascending[n - r] - inwards * (ascending[n - r] - ascending[n - r - 1])};
}

}  // namespace

double median(std::span<const double> values) {
  if (values.empty()) throw std::invalid_argument("the median of no values");
  return median_of_sorted(sorted(values));
}

double median_coverage(std::size_t n, std::size_t r) {
  if (r == 0) return 1;
  if (2 * r > n) return 0;  // the two ranks meet or cross
  const boost::math::binomial_distribution<double> heads(static_cast<double>(n), 0.5);
  return 1 - 2 * boost::math::cdf(heads, static_cast<double>(r - 1));
}

std::size_t median_rank(std::size_t n, double confidence) {
  require_confidence(confidence);
  // Coverage falls as the rank grows: bisect for the last rank that still has it.
  std::size_t enough = 1;
  std::size_t beyond = n / 2 + 1;
  while (enough + 1 < beyond) {
    const std::size_t middle = std::midpoint(enough, beyond);
    (median_coverage(n, middle) >= confidence ? enough : beyond) = middle;
  }
  return enough;
}

interval median_interval(std::span<const double> values, double confidence) {
  if (values.empty()) throw std::invalid_argument("the median of no values");
  const auto ascending = sorted(values);
  const std::size_t r = median_rank(values.size(), confidence);
  return {.value = median_of_sorted(ascending),
          .low = ascending[r - 1],
          .high = ascending[values.size() - r]};
}

double student_t(double confidence, std::size_t degrees) {
  require_confidence(confidence);
  if (degrees == 0) throw std::invalid_argument("Student's t needs at least 1 degree of freedom");
  const boost::math::students_t_distribution<double> t(static_cast<double>(degrees));
  return boost::math::quantile(boost::math::complement(t, (1 - confidence) / 2));
}

double scatter_of_median(std::size_t n) {
  if (n <= 2) return 1;
  // Variance pi / (2 n + c) in units of the values' own; c differs because the median of an even
  // number is a mean of two.
  const double c = n % 2 == 0 ? 2.55 : 0.96;
  const double count = static_cast<double>(n);
  return std::sqrt(std::numbers::pi * count / (2 * count + c));
}

interval over_visits(std::span<const double> visit_medians, double confidence) {
  require_confidence(confidence);
  const double middle = median(visit_medians);
  if (visit_medians.size() == 1) return {.value = middle, .low = -infinity, .high = infinity};
  std::vector<double> ascending = sorted(visit_medians);
  if (ascending.front() <= 0) {
    const auto [low, high] = bounds_of_median(ascending, confidence);
    return {.value = middle, .low = low, .high = high};
  }
  for (double& value : ascending) value = std::log(value);
  const auto [low, high] = bounds_of_median(ascending, confidence);
  // Back from logarithms a bound can fall a rounding short of the median that it meets.
  return {.value = middle,
          .low = std::min(middle, std::exp(low)),
          .high = std::max(middle, std::exp(high))};
}

double standard_deviation(std::span<const double> values) {
  if (values.size() < 2) return 0;
  const double centre = mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - centre) * (value - centre);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

double jain_index(std::span<const double> rates) {
  double sum = 0;
  double squares = 0;
  for (const double rate : rates) {
    sum += rate;
    squares += rate * rate;
  }
  if (squares == 0) return 1;  // no lane has more than another
  return sum * sum / (static_cast<double>(rates.size()) * squares);
}

std::vector<double> class_bounds(std::span<const double> values, double gap, double min_share) {
  if (!(gap > 1))
    throw std::invalid_argument("a gap between classes must be a ratio above 1, not " +
                                std::to_string(gap));
  std::vector<double> ascending;
  std::copy_if(values.begin(), values.end(), std::back_inserter(ascending),
               [](double value) { return value > 0 && std::isfinite(value); });
  std::sort(ascending.begin(), ascending.end());
  const auto dense = without_strays(ascending, gap, min_share);
  const double part = min_share * static_cast<double>(ascending.size());

  std::vector<double> bounds;
  for (std::size_t i = 1; i < dense.size(); ++i) {
    if (dense[i] < gap * dense[i - 1]) continue;
    const double bound = std::sqrt(dense[i - 1] * dense[i]);
    const auto above = std::upper_bound(ascending.begin(), ascending.end(), bound);
    const auto smaller = std::min(above - ascending.begin(), ascending.end() - above);
    if (static_cast<double>(smaller) >= part) bounds.push_back(bound);
  }
  return bounds;
}

}  // namespace syncmeter
