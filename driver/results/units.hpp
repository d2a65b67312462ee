// Where PUs sit, as the campaign line tells it.
#pragma once

#include <span>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/machine/topology.hpp"
#include "driver/plan/plan.hpp"

namespace syncmeter {

/// Where PUs sit, for the campaign line: with it a results file can be read on another machine.
[[nodiscard]] nlohmann::json units_json(std::span<const processing_unit> units);
/// What a campaign line has of them; none where it has none.
[[nodiscard]] std::vector<processing_unit> units_in(const nlohmann::json& campaign);
/// Those wanted, where some point of the plan names its PUs or shares out cells; else null.
[[nodiscard]] nlohmann::json units_named(const campaign_plan& plan, const run_options& options,
                                         const topology& machine);

}  // namespace syncmeter
