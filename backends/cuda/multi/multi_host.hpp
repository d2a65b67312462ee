// The host as the barrier of several devices, and a library's all-reduce: what host threads do.
#pragma once

#include <memory>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "backends/cuda/rig/gpu_rig.hpp"

namespace syncmeter::cuda {

[[nodiscard]] std::vector<measurable> multi_host_rows();
[[nodiscard]] nlohmann::json multi_host_declares(const measurable& row);
[[nodiscard]] std::unique_ptr<gpu_rig> make_multi_host_rig(const device_facts& device);

/// The stub of a kernel without a body.
[[nodiscard]] const void* empty_kernel();

}  // namespace syncmeter::cuda
