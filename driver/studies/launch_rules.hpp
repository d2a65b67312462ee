// What a study measures of the kernel boundary.
#pragma once

#include <vector>

#include "driver/studies/studies.hpp"

namespace syncmeter {

/// Every op that a host thread launches, of a kernel of one warp and of one that fills the GPU:
/// graphs of 1 to 64 kernels, and the thread near to the GPU and far from it.
[[nodiscard]] std::vector<gpu_rule> launch_rules();

}  // namespace syncmeter
