// What this process runs in: the cgroup directories that limit it, and the job of a cluster's
// scheduler that it is part of.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace syncmeter {

struct cgroup_directory {
  bool v2 = false;
  std::string path;
};

/// This process's directory, then its ancestors up to the top of what is mounted, in the hierarchy
/// of a v1 controller ("cpu") and in that of v2. `root` goes before every path that is read.
[[nodiscard]] std::vector<cgroup_directory> cgroup_directories(std::string_view controller,
                                                               const std::string& root = "");

/// The value of an environment variable, nullptr where it is not set; as std::getenv.
using read_variable = std::function<const char*(const char*)>;

/// The job as an object of texts: "name" (slurm, flux, pbs or lsf), "job" (its id) and, where the
/// scheduler says so, "array_job", "array_task", "step", "node", "cluster", "partition". null where
/// this process is in no job: no variable that holds an id is set, or it is empty.
[[nodiscard]] nlohmann::json describe_scheduler();
[[nodiscard]] nlohmann::json describe_scheduler(const read_variable& variable);

}  // namespace syncmeter
