#include "core/harness/comparisons.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/students_t.hpp>

#include "core/harness/stats.hpp"

namespace syncmeter {
namespace {

// Of a standard deviation over the true one: the middles of equally probable parts.
std::vector<double> likely_scatters(std::size_t degrees) {
  constexpr std::size_t parts = 32;
  const auto count = static_cast<double>(degrees);
  const boost::math::chi_squared_distribution<double> squares(count);
  std::vector<double> scatters;
  for (std::size_t i = 0; i < parts; ++i) {
    const double share = (static_cast<double>(i) + 0.5) / parts;
    scatters.push_back(std::sqrt(boost::math::quantile(squares, share) / count));
  }
  return scatters;
}

double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

}  // namespace

double student_t_tail(double t, std::size_t degrees) {
  const boost::math::students_t_distribution<double> distribution(static_cast<double>(degrees));
  return boost::math::cdf(boost::math::complement(distribution, t));
}

std::vector<double> holm(std::span<const double> ps) {
  std::vector<std::size_t> order(ps.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [ps](std::size_t i) { return ps[i]; });
  std::vector<double> adjusted(ps.size());
  double largest = 0;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    const double p = static_cast<double>(ps.size() - rank) * ps[order[rank]];
    adjusted[order[rank]] = largest = std::max(largest, std::min(1.0, p));
  }
  return adjusted;
}

double detectable_errors(double confidence, std::size_t degrees, double power) {
  const double critical = student_t(confidence, degrees);
  const std::vector<double> scatters = likely_scatters(degrees);
  const auto found_at = [&](double errors) {
    double sum = 0;
    for (const double told : scatters) {
      for (const double seen : scatters) sum += normal_cdf(errors * told - critical * seen);
    }
    return sum / static_cast<double>(scatters.size() * scatters.size());
  };
  double low = 0, high = 2 * critical + 4;
  while (found_at(high) < power) high *= 2;
  for (int halving = 0; halving < 30; ++halving) {
    const double middle = std::midpoint(low, high);
    (found_at(middle) < power ? low : high) = middle;
  }
  return high;
}

}  // namespace syncmeter
