#include "driver/advise/preload.hpp"

#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

#include "driver/workers/find_workers.hpp"

namespace syncmeter {

std::string find_own_library(const std::string& name) {
  for (const std::filesystem::path& folder : folders_of_workers())
    if (std::filesystem::exists(folder / name)) return folder / name;
  return "";
}

std::string preload_setting(const std::string& library) {
  const char* const preloaded = std::getenv("LD_PRELOAD");
  return preloaded == nullptr || *preloaded == 0
             ? fmt::format("LD_PRELOAD={}", library)
             : fmt::format("LD_PRELOAD={}:{}", library, preloaded);
}

}  // namespace syncmeter
