#include "core/machine/cgroup.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <vector>

#include <nlohmann/json.hpp>

namespace syncmeter {
namespace {

/// Where a cgroup hierarchy is mounted, and which of its directories is seen there.
struct cgroup_mount {
  bool v2 = false;
  std::string top;  ///< the directory of the hierarchy that the mount point shows ("/" = all of it)
  std::string point;
};

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    parts.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

bool has(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

/// mountinfo writes blanks, tabs, newlines and backslashes as \ooo.
std::string unescape(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned code = 0;
    if (text[i] == '\\' && i + 3 < text.size() &&
        std::from_chars(&text[i + 1], &text[i + 1] + 3, code, 8).ptr == &text[i + 1] + 3) {
      plain += static_cast<char>(code);
      i += 3;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

/// Fields of a line: id, parent, device, top, mount point, options, optional fields, "-", type,
/// source, options.
std::vector<cgroup_mount> read_mounts(const std::string& root, std::string_view controller) {
  std::vector<cgroup_mount> mounts;
  std::ifstream file(root + "/proc/self/mountinfo");
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> fields = split(line, ' ');
    const auto dash = std::ranges::find(fields, "-");
    if (fields.size() < 6 || fields.end() - dash < 4) continue;
    const bool v2 = dash[1] == "cgroup2";
    if (v2 || (dash[1] == "cgroup" && has(split(dash[3], ','), controller))) {
      mounts.push_back({.v2 = v2, .top = unescape(fields[3]), .point = unescape(fields[4])});
    }
  }
  return mounts;
}

/// This process's directory in the hierarchy: lines "0::/path" (v2) and "4:cpu,cpuacct:/path" (v1).
std::optional<std::string> own_cgroup(const std::string& root, bool v2,
                                      std::string_view controller) {
  std::ifstream file(root + "/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (v2 ? line.starts_with("0::") : has(split(controllers, ','), controller)) {
      return line.substr(second + 1);
    }
  }
  return std::nullopt;
}

/// The part of `path` below `top`; nothing of it where the process is not below what is mounted (a
/// container that shows its own cgroup as the top, or a path with "..").
std::string below(const std::string& path, const std::string& top) {
  if (path.find("/..") != std::string::npos) return "";
  const std::string prefix = top == "/" ? "" : top;
  if (!path.starts_with(prefix)) return "";
  const std::string rest = path.substr(prefix.size());
  return rest.starts_with('/') && rest != "/" ? rest : "";
}

struct job_variable {
  const char* member;
  const char* variable;
};

struct scheduler_words {
  const char* name;
  const char* job;  ///< the variable that only jobs of this scheduler have
  std::vector<job_variable> more;
};

const std::vector<scheduler_words>& schedulers() {
  static const std::vector<scheduler_words> known{
      // The innermost first: Flux is often started by one of the others.
      {"flux", "FLUX_JOB_ID", {}},
      {"slurm",
       "SLURM_JOB_ID",
       {{"array_job", "SLURM_ARRAY_JOB_ID"},
        {"array_task", "SLURM_ARRAY_TASK_ID"},
        {"step", "SLURM_STEP_ID"},
        {"node", "SLURMD_NODENAME"},
        {"cluster", "SLURM_CLUSTER_NAME"},
        {"partition", "SLURM_JOB_PARTITION"}}},
      {"pbs", "PBS_JOBID", {{"array_task", "PBS_ARRAY_INDEX"}, {"partition", "PBS_QUEUE"}}},
      {"lsf", "LSB_JOBID", {{"array_task", "LSB_JOBINDEX"}, {"partition", "LSB_QUEUE"}}},
  };
  return known;
}

bool is_set(const char* value) { return value != nullptr && *value != '\0'; }

}  // namespace

std::vector<cgroup_directory> cgroup_directories(std::string_view controller,
                                                 const std::string& root) {
  std::vector<cgroup_directory> found;
  for (const cgroup_mount& mount : read_mounts(root, controller)) {
    const std::optional<std::string> own = own_cgroup(root, mount.v2, controller);
    if (!own) continue;
    const std::string top = root + mount.point;
    for (std::string at = below(*own, mount.top);; at.resize(at.rfind('/'))) {
      found.push_back({.v2 = mount.v2, .path = top + at});
      if (at.empty()) break;
    }
  }
  return found;
}

nlohmann::json describe_scheduler(const read_variable& variable) {
  for (const scheduler_words& words : schedulers()) {
    const char* const job = variable(words.job);
    if (!is_set(job)) continue;
    nlohmann::json found{{"name", words.name}, {"job", job}};
    for (const job_variable& each : words.more) {
      if (const char* const value = variable(each.variable); is_set(value))
        found[each.member] = value;
    }
    return found;
  }
  return nullptr;
}

nlohmann::json describe_scheduler() {
  return describe_scheduler([](const char* name) { return std::getenv(name); });
}

}  // namespace syncmeter
