#include "driver/workers/program_places.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <system_error>

namespace syncmeter {

namespace fs = std::filesystem;

fs::path own_folder() {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  return error ? fs::path{} : self.parent_path();
}

std::vector<fs::path> folders_of_own_workers() {
  const fs::path beside = own_folder();
  if (beside.empty()) return {};
  return {beside, (beside / SM_WORKERS_FROM_DRIVER).lexically_normal()};
}

std::vector<fs::path> folders_on_path() {
  std::vector<fs::path> folders;
  const char* const path = std::getenv("PATH");
  std::string_view rest = path != nullptr ? path : "";
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    if (rest.starts_with('/')) folders.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return folders;
}

std::vector<fs::path> folders_of_workers() {
  std::vector<fs::path> folders = folders_of_own_workers();
  const std::vector<fs::path> on_path = folders_on_path();
  folders.insert(folders.end(), on_path.begin(), on_path.end());
  return folders;
}

}  // namespace syncmeter
