// Host cost to launch by Kokkos on a GPU and to wait.
#pragma once

#include "backends/cuda/rig/gpu_rig.hpp"

namespace syncmeter::kokkos {

/// Returns the rows for Kokkos' launches and fence on a GPU, in the loop of one host thread, with
/// the rig and the declared calls.
[[nodiscard]] cuda::row_group device_launch_group();

}  // namespace syncmeter::kokkos
