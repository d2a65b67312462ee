#include "driver/advise/rank_sum.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace syncmeter {

double rank_sum_tail(std::span<const double> larger, std::span<const double> others) {
  std::vector<double> all(larger.begin(), larger.end());
  all.insert(all.end(), others.begin(), others.end());
  std::ranges::sort(all);
  // Twice the mean rank of a value and those that tie with it is a whole number.
  const auto twice_rank = [&](double value) {
    const auto [first, last] = std::equal_range(all.begin(), all.end(), value);
    return static_cast<std::size_t>((first - all.begin()) + (last - all.begin()) + 1);
  };
  std::size_t sum = 0;
  for (const double value : larger) sum += twice_rank(value);
  // Choices of so many values, by the sum of their ranks.
  const std::size_t most = all.size() * (all.size() + 1);
  std::vector<std::vector<double>> choices(larger.size() + 1, std::vector<double>(most + 1));
  choices[0][0] = 1;
  for (const double value : all) {
    const std::size_t rank = twice_rank(value);
    for (std::size_t chosen = larger.size(); chosen > 0; --chosen)
      for (std::size_t to = most; to >= rank; --to)
        choices[chosen][to] += choices[chosen - 1][to - rank];
  }
  double as_great = 0, any = 0;
  for (std::size_t of = 0; of <= most; ++of) {
    any += choices.back()[of];
    if (of >= sum) as_great += choices.back()[of];
  }
  return as_great / any;
}

}  // namespace syncmeter
