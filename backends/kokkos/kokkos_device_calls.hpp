// Launches by Kokkos on a GPU, each behind a call, so that both sides of a loop hold the same of it
// and a host's compiler can make the loop. They stand in a source of their own.
#pragma once

#include <cstdint>

#include "backends/kokkos/kokkos_launch_rules.hpp"

namespace syncmeter::kokkos {

/// Of the indices or members of one kernel. Kokkos 4.6 adds to 64 bits on a GPU by a loop of
/// compare-and-swap, in which all of a wide grid wait for each other.
using device_count = std::uint32_t;

/// What the calls of a point launch, and what they found.
struct device_launches {
  launch_shape shape;
  device_count* counts = nullptr;  ///< on the device: one more by each index or member; or nothing
  std::uint32_t value = 0;         ///< of each index or member in the last reduction
  std::uint32_t difference = 0;    ///< of all sums from what they had to be, or-ed
};

namespace on_device {

/// Kokkos::fence().
void fence();
/// A parallel_for over a range, over teams, over an MDRange in tiles of `lanes`, empty but for the
/// counts; then Kokkos::fence().
void launch_for(device_launches& all);
void launch_team(device_launches& all);
void launch_mdrange(device_launches& all);
/// A parallel_reduce of a number from each index or member, another one than the last, whose sum
/// the host waits for.
void launch_reduce(device_launches& all);
void launch_team_reduce(device_launches& all);
void launch_mdrange_reduce(device_launches& all);

/// The largest team of these kernels that Kokkos can start.
[[nodiscard]] unsigned largest_team();

}  // namespace on_device
}  // namespace syncmeter::kokkos
