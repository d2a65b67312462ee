// The GPUs that a plan's points are measured on, and how equal ones share them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "driver/plan/offered_ops.hpp"
#include "driver/plan/plan.hpp"

namespace syncmeter {

/// The GPU that a visit of a GPU's point (from 1) is taken on.
[[nodiscard]] unsigned device_of(const planned_point& point, unsigned visit);

/// Where the options name several GPUs, every point takes them by turns, each point from another
/// one on. Not those whose host thread is measured (it launches kernels), those that several GPUs
/// measure together, and plans that compare backends. Throws usage_error when a GPU is not there,
/// or is of another kind than the first.
void share_among_gpus(campaign_plan& plan, const run_options& options,
                      const std::vector<offered_op>& ops, const std::vector<worker_info>& workers);

/// By backend, the GPU that a plan's points are measured on: "NVIDIA H200 (GPU-0123...)".
[[nodiscard]] std::map<std::string, std::string>
gpus_in_use(const campaign_plan& plan, const std::vector<worker_info>& workers);

/// One sentence for each GPU that a plan's points are measured on and that was busy with something
/// else before.
[[nodiscard]] std::vector<std::string> busy_gpus(const campaign_plan& plan,
                                                 const std::vector<worker_info>& workers);

}  // namespace syncmeter
