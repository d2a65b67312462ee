// Kokkos launches on a GPU, each behind a call: both sides of a loop have the same code, and the
// host compiler can make the loop. kokkos_device_calls.cu defines the functions.
#pragma once

#include <cstdint>

#include "backends/kokkos/kokkos_launch_rules.hpp"

namespace syncmeter::kokkos {

/// Count of a kernel's indices or members. Not 64 bits: Kokkos 4.6 adds 64 bits on a GPU by a
/// compare-and-swap loop, which serializes a wide grid.
using device_count = std::uint32_t;

/// Launches of a point and their results.
struct device_launches {
  launch_shape shape;
  device_count* counts = nullptr;  ///< device counter of indices or members, or null
  std::uint32_t value = 0;         ///< from each index or member in the last reduction
  std::uint32_t difference = 0;    ///< bitwise or of all deviations from the expected sums
};

namespace on_device {

/// Calls Kokkos::fence().
void fence();
/// Launch a parallel_for over a range, over teams, or over an MDRange in tiles of `lanes`, then
/// call Kokkos::fence(). Kernels are empty except for the count.
void launch_for(device_launches& all);
void launch_team(device_launches& all);
void launch_mdrange(device_launches& all);
/// Launch a parallel_reduce with a new number per index or member, and wait for the sum on the
/// host.
void launch_reduce(device_launches& all);
void launch_team_reduce(device_launches& all);
void launch_mdrange_reduce(device_launches& all);

/// Returns the largest team that Kokkos can start for these kernels.
[[nodiscard]] unsigned largest_team();

}  // namespace on_device
}  // namespace syncmeter::kokkos
