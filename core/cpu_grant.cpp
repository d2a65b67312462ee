// What the container or scheduler grants: the affinity mask, and the CPU quota of both cgroup
// versions.
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <memory>
#include <new>
#include <stdexcept>
#include <string_view>

#include <fmt/format.h>
#include <sched.h>

#include "core/topology.hpp"

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
std::vector<cgroup_mount> read_mounts(const std::string& root) {
  std::vector<cgroup_mount> mounts;
  std::ifstream file(root + "/proc/self/mountinfo");
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> fields = split(line, ' ');
    const auto dash = std::ranges::find(fields, "-");
    if (fields.size() < 6 || fields.end() - dash < 4) continue;
    const bool v2 = dash[1] == "cgroup2";
    if (v2 || (dash[1] == "cgroup" && has(split(dash[3], ','), "cpu"))) {
      mounts.push_back({.v2 = v2, .top = unescape(fields[3]), .point = unescape(fields[4])});
    }
  }
  return mounts;
}

/// This process's directory in the hierarchy: lines "0::/path" (v2) and "4:cpu,cpuacct:/path" (v1).
std::optional<std::string> own_cgroup(const std::string& root, bool v2) {
  std::ifstream file(root + "/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (v2 ? line.starts_with("0::") : has(split(controllers, ','), "cpu")) {
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

std::optional<double> number_in(const std::string& path) {
  double value = 0;
  std::ifstream file(path);
  if (file >> value) return value;
  return std::nullopt;
}

/// The limit that one directory sets: "max 100000" or "150000 100000" (v2), -1 for none (v1).
std::optional<cpu_quota> limit_of(const std::string& directory, bool v2) {
  const std::string source = directory + (v2 ? "/cpu.max" : "/cpu.cfs_quota_us");
  std::optional<double> quota = number_in(source);  // "max" is no number
  std::optional<double> period;
  if (v2) {
    std::ifstream file(source);
    std::string skipped;
    double us = 0;
    if (file >> skipped >> us) period = us;
  } else {
    period = number_in(directory + "/cpu.cfs_period_us");
  }
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
  return cpu_quota{.cpus = *quota / *period, .source = source};
}

}  // namespace

std::optional<cpu_quota> read_cpu_quota(const std::string& root) {
  std::optional<cpu_quota> smallest;
  for (const cgroup_mount& mount : read_mounts(root)) {
    const std::optional<std::string> own = own_cgroup(root, mount.v2);
    if (!own) continue;
    const std::string top = root + mount.point;
    for (std::string at = below(*own, mount.top);; at.resize(at.rfind('/'))) {
      const auto limit = limit_of(fmt::format("{}{}", top, at), mount.v2);
      if (limit && (!smallest || limit->cpus < smallest->cpus)) smallest = limit;
      if (at.empty()) break;
    }
  }
  return smallest;
}

cpu_grant read_cpu_grant() {
  cpu_grant grant;
  struct free_set {
    void operator()(cpu_set_t* set) const { CPU_FREE(set); }
  };
  // The kernel refuses a set smaller than its own, and does not say how large that is.
  for (int size = 1024;; size *= 2) {
    const std::unique_ptr<cpu_set_t, free_set> set(CPU_ALLOC(size));
    if (!set) throw std::bad_alloc();
    const std::size_t bytes = CPU_ALLOC_SIZE(size);
    CPU_ZERO_S(bytes, set.get());
    if (sched_getaffinity(0, bytes, set.get()) == 0) {
      for (int os = 0; os < size; ++os) {
        if (CPU_ISSET_S(static_cast<std::size_t>(os), bytes, set.get()))
          grant.allowed.push_back(os);
      }
      break;
    }
    if (errno != EINVAL || size >= (1 << 20)) {
      throw std::runtime_error(fmt::format("sched_getaffinity: {}", std::strerror(errno)));
    }
  }
  if (const auto quota = read_cpu_quota()) {
    grant.quota_cpus = quota->cpus;
    grant.quota_source = quota->source;
  }
  return grant;
}

unsigned max_lanes(const topology& machine, const cpu_grant& grant) {
  const auto pus = static_cast<unsigned>(machine.units().size());
  if (!grant.quota_cpus || *grant.quota_cpus >= pus) return std::max(pus, 1U);
  return std::max(static_cast<unsigned>(std::floor(*grant.quota_cpus)), 1U);
}

}  // namespace syncmeter
