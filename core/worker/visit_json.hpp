// A visit as the protocol and the results file have it.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/harness/harness.hpp"

namespace syncmeter {

/// The members of a `visit` object that come from measuring (docs/worker-protocol.md): everything
/// but "kind", "id", "point", "visit", "time" and what only the backend knows.
[[nodiscard]] nlohmann::json to_visit_json(const visit_result& result, const op_info& info);

/// {"value":..,"low":..,"high":..}; an infinite bound is null, as JSON has no infinity.
void to_json(nlohmann::json& j, const interval& i);
void from_json(const nlohmann::json& j, interval& i);

}  // namespace syncmeter
