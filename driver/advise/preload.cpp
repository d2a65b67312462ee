#include "driver/advise/preload.hpp"

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include <fmt/format.h>

#include "core/machine/read_file.hpp"
#include "driver/workers/find_workers.hpp"
#include "probe/tables.hpp"

namespace syncmeter {

std::string find_own_library(const std::string& name) {
  for (const std::filesystem::path& folder : folders_of_workers())
    if (std::filesystem::exists(folder / name)) return folder / name;
  return "";
}

void require_libraries_of_this_layout() {
  for (const char* const name :
       {"libsyncmeter-probe.so", "libsyncmeter-kokkos-tool.so", "libsyncmeter-swaps.so"}) {
    const std::string path = find_own_library(name);
    if (path.empty() || read_file(path).bytes.find(probe::layout_of_build) != std::string::npos)
      continue;
    throw std::runtime_error(fmt::format("advise: {} has another layout than this driver, and each "
                                         "may misread the other; use both of one build",
                                         path));
  }
}

std::string preload_setting(const std::string& library) {
  const char* const preloaded = std::getenv("LD_PRELOAD");
  return preloaded == nullptr || *preloaded == 0
             ? fmt::format("LD_PRELOAD={}", library)
             : fmt::format("LD_PRELOAD={}:{}", library, preloaded);
}

}  // namespace syncmeter
