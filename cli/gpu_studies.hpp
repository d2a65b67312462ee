// The points of the studies on GPUs, as data.
#pragma once

#include "cli/studies.hpp"

namespace syncmeter {

[[nodiscard]] gpu_part gpu_quick();
[[nodiscard]] gpu_part gpu_scaling();
[[nodiscard]] gpu_part gpu_control();
/// The CUDA grid of "Characterizing CUDA and OpenMP Synchronization Primitives" (IISWC 2024).
[[nodiscard]] gpu_part gpu_paper();
[[nodiscard]] gpu_part gpu_atomics();
[[nodiscard]] gpu_part gpu_portability();

}  // namespace syncmeter
