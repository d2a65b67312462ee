// What the container or scheduler grants: the affinity mask, and the CPU quota and the cpuset of
// both cgroup versions.
#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <memory>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "core/machine/read_file.hpp"
#include "core/machine/topology.hpp"

namespace syncmeter {
namespace {

struct cgroup_directory {
  bool v2 = false;
  std::string path;
};

/// Where a cgroup hierarchy is mounted, and which of its directories is visible there.
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
  std::istringstream file(read_file(root + "/proc/self/mountinfo").bytes);
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
  std::istringstream file(read_file(root + "/proc/self/cgroup").bytes);
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

/// This process's directory, then its ancestors up to the top of what is mounted, in the hierarchy
/// of a v1 controller ("cpu") and in that of v2. `root` goes before every path that is read.
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

std::optional<double> number_in(const std::string& path) {
  double value = 0;
  std::istringstream file(read_file(path).bytes);
  if (file >> value) return value;
  return std::nullopt;
}

/// The limit that one directory sets: "max 100000" or "150000 100000" (v2), -1 for none (v1).
std::optional<cpu_quota> limit_of(const std::string& directory, bool v2) {
  const std::string source = directory + (v2 ? "/cpu.max" : "/cpu.cfs_quota_us");
  std::optional<double> quota = number_in(source);  // "max" is no number
  std::optional<double> period;
  if (v2) {
    std::istringstream file(read_file(source).bytes);
    std::string skipped;
    double us = 0;
    if (file >> skipped >> us) period = us;
  } else {
    period = number_in(directory + "/cpu.cfs_period_us");
  }
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
  return cpu_quota{.cpus = *quota / *period, .source = source};
}

std::string first_word(const std::string& path) {
  std::istringstream file(read_file(path).bytes);
  std::string word;
  file >> word;
  return word;
}

}  // namespace

std::optional<std::vector<int>> parse_cpu_list(std::string_view text) {
  constexpr int most = 1 << 20;  // beyond any kernel's, so that a torn file costs no memory
  std::vector<int> pus;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    int first = 0, last = 0;
    const char* const end = part.data() + part.size();
    auto read = std::from_chars(part.data(), end, first);
    last = first;
    if (read.ec == std::errc{} && read.ptr != end && *read.ptr == '-')
      read = std::from_chars(read.ptr + 1, end, last);
    if (read.ec != std::errc{} || read.ptr != end || first < 0 || last < first || last > most ||
        pus.size() > most)
      return std::nullopt;
    for (int pu = first; pu <= last; ++pu) pus.push_back(pu);
  }
  return pus;
}

std::vector<int> read_offline_pus(const std::string& root) {
  const std::string system = root + "/sys/devices/system/cpu/";
  const auto offline = parse_cpu_list(first_word(system + "offline"));
  const auto present = parse_cpu_list(first_word(system + "present"));
  std::vector<int> found;
  // The kernel also calls offline what could be plugged in and is not there.
  for (const int pu : offline.value_or(std::vector<int>{})) {
    if (present && std::ranges::find(*present, pu) != present->end()) found.push_back(pu);
  }
  return found;
}

std::optional<cpuset_grant> read_cpuset(const std::string& root) {
  for (const cgroup_directory& directory : cgroup_directories("cpuset", root)) {
    const std::vector<std::string> names =
        directory.v2 ? std::vector<std::string>{"cpuset.cpus.effective"}
                     : std::vector<std::string>{"cpuset.effective_cpus", "cpuset.cpus"};
    for (const std::string& name : names) {
      const std::string source = directory.path + '/' + name;
      auto pus = parse_cpu_list(first_word(source));
      // An empty list in v1 is a cgroup that nobody filled in yet; nobody can run in it.
      if (pus && !pus->empty()) return cpuset_grant{.pus = std::move(*pus), .source = source};
    }
  }
  return std::nullopt;
}

std::string cpus_text(double cpus) {
  return fmt::format("{:.4g} CPU{}", cpus, cpus == 1 ? "" : "s");
}

std::optional<cpu_quota> read_cpu_quota(const std::string& root) {
  std::optional<cpu_quota> smallest;
  for (const cgroup_directory& directory : cgroup_directories("cpu", root)) {
    const auto limit = limit_of(directory.path, directory.v2);
    if (limit && (!smallest || limit->cpus < smallest->cpus)) smallest = limit;
  }
  return smallest;
}

std::string own_cgroup_directory(const std::string& root) {
  // Of v2 there is one hierarchy, and the process's own directory is the first of each.
  for (const cgroup_directory& directory : cgroup_directories("", root))
    if (directory.v2) return directory.path;
  return "";
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
  grant.offline = read_offline_pus();
  if (auto cpuset = read_cpuset()) {
    grant.cpuset = std::move(cpuset->pus);
    grant.cpuset_source = cpuset->source;
  }
  return grant;
}

unsigned max_lanes(const topology& machine, const cpu_grant& grant) {
  const auto pus = static_cast<unsigned>(machine.units().size());
  if (!grant.quota_cpus || *grant.quota_cpus >= pus) return std::max(pus, 1U);
  return std::max(static_cast<unsigned>(std::floor(*grant.quota_cpus)), 1U);
}

}  // namespace syncmeter
