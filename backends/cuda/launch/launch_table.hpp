// The rows of the host's lane for launches.
#pragma once

#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "backends/cuda/rig/gpu_rig.hpp"
#include "core/measurable.hpp"

namespace syncmeter::cuda {

[[nodiscard]] row_group launch_rows();

/// What one measured op of a row should compile to on the host: one call.
[[nodiscard]] nlohmann::json declared_launches(const measurable& row);

}  // namespace syncmeter::cuda
