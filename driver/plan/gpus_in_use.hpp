// The GPUs that a plan's points are measured on.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "driver/plan/plan.hpp"

namespace syncmeter {

/// By backend, the GPU that a plan's points are measured on: "NVIDIA H200 (GPU-0123...)".
[[nodiscard]] std::map<std::string, std::string>
gpus_in_use(const campaign_plan& plan, const std::vector<worker_info>& workers);

/// One sentence for each GPU that a plan's points are measured on and that was busy with something
/// else before.
[[nodiscard]] std::vector<std::string> busy_gpus(const campaign_plan& plan,
                                                 const std::vector<worker_info>& workers);

}  // namespace syncmeter
