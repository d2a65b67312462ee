// What of OpenMP is a parallel region of its own, behind a call: both sides of a loop hold the same
// of it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/host/reduction_array.hpp"

namespace syncmeter::omp {

/// The maximum of the array by `reduction(max:)` on so many threads; returns how it differs from
/// the maximum that was planted: 0. And what fills such an array, on the same threads.
#define SM_OMP_REDUCTION(TYPE)                                                                     \
  [[nodiscard]] bits_of<TYPE> reduce_max(const reduction_array& input, unsigned lanes, TYPE);      \
  void fill(TYPE* data, std::size_t elements, std::uint64_t seed, reduction_input kind,            \
            unsigned lanes);
SM_OMP_REDUCTION(std::int32_t)
SM_OMP_REDUCTION(std::uint64_t)
SM_OMP_REDUCTION(float)
SM_OMP_REDUCTION(double)
#undef SM_OMP_REDUCTION

}  // namespace syncmeter::omp
