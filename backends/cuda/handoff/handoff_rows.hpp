// The tables of handoffs between warps; each goes with a rig of its own.
#pragma once

#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/measurable.hpp"

namespace syncmeter::cuda {

/// `warp_handoff` and `cluster_handoff`: ring_rig.
[[nodiscard]] std::vector<measurable> ring_rows();
/// `sm_handoff`: pair_rig.
[[nodiscard]] std::vector<measurable> pair_rows();
/// `handoff_chain`: chain_rig.
[[nodiscard]] std::vector<measurable> chain_rows();

/// What one handoff of a row should compile to; of the chain, whose sides are one kernel, nothing
/// is declared.
[[nodiscard]] nlohmann::json declared_handoff(const measurable& row);

}  // namespace syncmeter::cuda
