// Rules for Kokkos' launches on a GPU, and the expected results. Plain numbers, so tests need
// neither Kokkos nor a GPU.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace syncmeter::kokkos {

/// `blocks` teams of `lanes` members, or the same total of indices. `active` is the point's
/// --active, or 0 if absent.
struct launch_shape {
  unsigned blocks = 1, lanes = 1, active = 0;
};

/// Returns why Kokkos cannot make this launch, or an empty text. `largest_team` is Kokkos' limit,
/// or 0 for ops without teams.
[[nodiscard]] std::string why_no_launch(const launch_shape& shape, unsigned largest_team);

/// Returns the count if each index or member counts once. Wraps around like the device's counter.
[[nodiscard]] constexpr std::uint32_t expected_count(const launch_shape& shape) {
  return std::uint32_t{shape.blocks} * shape.lanes;
}
/// Returns the sum if each index or member adds `value`.
[[nodiscard]] constexpr std::uint32_t expected_sum(std::uint32_t value, const launch_shape& shape) {
  return value * expected_count(shape);
}

/// Returns an error text if `counted` is wrong for one launch of `op`, or an empty text.
[[nodiscard]] std::string wrong_count(std::string_view op, std::uint32_t counted,
                                      const launch_shape& shape);

}  // namespace syncmeter::kokkos
