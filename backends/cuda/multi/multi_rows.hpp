// The rows of the ops over several devices.
#pragma once

#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/measurable.hpp"

namespace syncmeter::cuda {

/// Barriers, adds and handoffs that kernels do: measured by multi_rig.
[[nodiscard]] std::vector<measurable> multi_rows();
[[nodiscard]] nlohmann::json multi_declares(const measurable& row);

/// One device's accesses to its own memory, a peer's and the host's: measured by remote_rig.
[[nodiscard]] std::vector<measurable> remote_rows();
[[nodiscard]] nlohmann::json remote_declares(const measurable& row);

}  // namespace syncmeter::cuda
