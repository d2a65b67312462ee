// What a visit line must be, whoever wrote it: its members' types, and how they belong together
// (docs/worker-protocol.md).
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace syncmeter {

/// What is wrong with a visit line, in half a sentence; empty when nothing is. Members that are not
/// known may be anything.
[[nodiscard]] std::string flaw_in_visit(const nlohmann::json& visit);

/// The same of the answer to a request: it is of the point and the visit that were asked for, and
/// holds what the request's answer must.
[[nodiscard]] std::string flaw_in_answer(const nlohmann::json& visit,
                                         const nlohmann::json& request);

}  // namespace syncmeter
