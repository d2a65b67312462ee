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

}  // namespace syncmeter
