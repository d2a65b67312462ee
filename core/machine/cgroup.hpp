// Which cgroup directories limit this process.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace syncmeter {

struct cgroup_directory {
  bool v2 = false;
  std::string path;
};

/// This process's directory, then its ancestors up to the top of what is mounted, in the hierarchy
/// of a v1 controller ("cpu") and in that of v2. `root` goes before every path that is read.
[[nodiscard]] std::vector<cgroup_directory> cgroup_directories(std::string_view controller,
                                                               const std::string& root = "");

}  // namespace syncmeter
