// What the host pays to launch by Kokkos on a GPU, and to wait.
#pragma once

#include "backends/cuda/rig/gpu_rig.hpp"

namespace syncmeter::kokkos {

/// The rows of Kokkos' launches and of its fence on a GPU, in the loop of one host thread, their
/// rig, and the calls that they are.
[[nodiscard]] cuda::row_group device_launch_group();

}  // namespace syncmeter::kokkos
