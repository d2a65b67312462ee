// Checks the lines of a worker against docs/schema/worker-protocol.schema.json. The driver contains
// the schema.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace syncmeter {

/// Returns half a sentence for each member that breaks the schema. `kind` names a definition in the
/// schema: capabilities, worker, visit, probe or error. A list has one flaw at most, unless it
/// holds objects.
[[nodiscard]] std::vector<std::string> schema_flaws(const nlohmann::json& line,
                                                    std::string_view kind);

}  // namespace syncmeter
