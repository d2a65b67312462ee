// Which job of a cluster's scheduler this process is part of.
#pragma once

#include <functional>

#include <nlohmann/json_fwd.hpp>

namespace syncmeter {

/// The value of an environment variable, nullptr where it is not set; as std::getenv.
using read_variable = std::function<const char*(const char*)>;

/// The job as an object of texts: "name" (slurm, flux, pbs or lsf), "job" (its id) and, where the
/// scheduler says so, "array_job", "array_task", "step", "node", "cluster", "partition". null where
/// this process is in no job: no variable that holds an id is set, or it is empty.
[[nodiscard]] nlohmann::json describe_scheduler();
[[nodiscard]] nlohmann::json describe_scheduler(const read_variable& variable);

}  // namespace syncmeter
