// Whether values of one sample are larger than those of another one, by their ranks alone: whatever
// the distribution, also of few values.
#pragma once

#include <span>

namespace syncmeter {

/// How likely ranks of `larger` have a sum as great as here, or greater, where chance alone gives
/// all values their order: the exact one-sided tail of the rank sum test (Mann and Whitney 1947).
/// Values that tie have the mean of their ranks. 1 where one of the samples is empty.
[[nodiscard]] double rank_sum_tail(std::span<const double> larger, std::span<const double> others);

}  // namespace syncmeter
