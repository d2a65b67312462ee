// A worker's `capabilities` line read into the driver's own terms
// (docs/worker-protocol.md); and what is wrong with one that can be read: `check-worker` reports it
// to a worker's author, `run` makes do.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "driver/workers/worker_info.hpp"

namespace syncmeter {

/// Whether a `capabilities` or `worker` line is of a protocol that this driver speaks: what is
/// wrong in half a sentence, or nothing. Another minor version is none of its affairs.
[[nodiscard]] std::string flaw_in_protocol(const nlohmann::json& line);

/// Fills in name, backends, build and capabilities from the whole line; what the line does not
/// allow to be read becomes info.problem. Never throws for what the line holds.
void read_capabilities(const nlohmann::json& line, worker_info& info);

/// One sentence for each flaw of a `capabilities` line that was read into `info` without a problem.
[[nodiscard]] std::vector<std::string> capability_flaws(const nlohmann::json& line,
                                                        const worker_info& info);

}  // namespace syncmeter
