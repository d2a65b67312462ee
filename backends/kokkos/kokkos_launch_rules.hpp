// Which launches Kokkos can make of a point on a GPU, and what they have to leave behind: numbers
// alone, so that tests need neither Kokkos nor a GPU.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace syncmeter::kokkos {

/// `blocks` teams of `lanes` members, or as many indices as these are in all. `active` is the
/// point's --active, 0 where it is not given.
struct launch_shape {
  unsigned blocks = 1, lanes = 1, active = 0;
};

/// Why this is no launch, or nothing. `largest_team` is Kokkos' own limit; 0 for an op that starts
/// no teams.
[[nodiscard]] std::string why_no_launch(const launch_shape& shape, unsigned largest_team);

/// Of a kernel in which each index or member counted once; wraps around as the device's counts do.
[[nodiscard]] constexpr std::uint32_t expected_count(const launch_shape& shape) {
  return std::uint32_t{shape.blocks} * shape.lanes;
}
/// Of a reduction to which each index or member adds `value`.
[[nodiscard]] constexpr std::uint32_t expected_sum(std::uint32_t value, const launch_shape& shape) {
  return value * expected_count(shape);
}

/// What is wrong with one launch of `op` in which `counted` ran, or nothing.
[[nodiscard]] std::string wrong_count(std::string_view op, std::uint32_t counted,
                                      const launch_shape& shape);

}  // namespace syncmeter::kokkos
