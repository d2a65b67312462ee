// Which PUs others use when a campaign begins, for affinity quiet.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/machine/topology.hpp"

namespace syncmeter {

/// Runs the quiet probe (core/harness/core_probes.hpp) on every PU for 50 ms: by how much fewer
/// probes fit in there than on a PU of its kind that has its core to itself, as a share; PUs that
/// come near to that are left out. Never on two PUs of one core at once, nor on more than
/// `at_once`. A PU that no thread can be bound to counts as left alone. In whole per cent, so that
/// a file holds the same numbers.
[[nodiscard]] busy_shares probe_busy_shares(const topology& machine, unsigned at_once);

/// For the campaign line, PUs that were left alone are left out: [{"pu":0,"share":0.97}].
[[nodiscard]] nlohmann::json busy_json(const busy_shares& busy);
/// What a campaign line has of them.
[[nodiscard]] busy_shares busy_in(const nlohmann::json& campaign);

}  // namespace syncmeter
