// The workers of this machine.
#pragma once

#include <string>
#include <vector>

#include "driver/workers/worker_info.hpp"
#include "driver/workers/worker_process.hpp"

namespace syncmeter {

/// Workers beside the driver, in its installation's folder of workers and on PATH, `syncmeter-*`
/// (not syncmeter-report), each asked for its capabilities. `wanted` names backends that must be
/// looked for; a missing one becomes a worker_info with a problem. Of several workers with one
/// backend the driver's own has it. Never throws for what a worker does.
[[nodiscard]] std::vector<worker_info> find_workers(const std::vector<std::string>& wanted,
                                                    const worker_deadlines& deadlines = {});

/// The workers of one build, asked likewise: `path` is a program, or a folder that holds them or an
/// installation of them, asked with these NAME=VALUE in their environment. Empty where there are
/// none.
[[nodiscard]] std::vector<worker_info> workers_at(const std::string& path,
                                                  const std::vector<std::string>& settings = {},
                                                  const worker_deadlines& deadlines = {});

}  // namespace syncmeter
