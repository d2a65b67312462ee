// Many comparisons at once: which differences are real, and how small a one could have been seen.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace syncmeter {

/// P(T > t) of Student's t with `degrees` >= 1 degrees of freedom.
[[nodiscard]] double student_t_tail(double t, std::size_t degrees);

/// Holm's step-down adjusted p values, in the order given (Holm 1979): rejecting those below alpha
/// keeps the probability of any false rejection below alpha, whatever the dependence.
[[nodiscard]] std::vector<double> holm(std::span<const double> ps);

/// The smallest true difference, in standard errors as one sample estimates them, that the two-
/// sided t test of another such sample finds with probability `power`. The sample's own scatter is
/// an estimate too, from the same degrees of freedom: taken for the truth (the non-central t), ten
/// values at 99.5 % would promise 80 % and find 70.
[[nodiscard]] double detectable_errors(double confidence, std::size_t degrees, double power = 0.8);

}  // namespace syncmeter
