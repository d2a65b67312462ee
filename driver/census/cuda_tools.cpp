#include "driver/census/cuda_tools.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include <fmt/format.h>

#include "driver/census/disassembler.hpp"
#include "driver/census/elf_file.hpp"

namespace syncmeter {
namespace {

namespace fs = std::filesystem;

constexpr const char* install =
    "install the CUDA toolkit or the Python packages nvidia-cuda-cuobjdump and "
    "nvidia-cuda-nvdisasm, and put their bin folder on PATH";

std::string find_cuda_tool(const std::string& name) {
  std::vector<std::string> folders;
  const auto variable = [](const char* of) {
    const char* value = std::getenv(of);
    return std::string(value == nullptr ? "" : value);
  };
  const std::string path = variable("PATH");
  for (std::size_t first = 0; first < path.size();) {
    const std::size_t colon = std::min(path.find(':', first), path.size());
    if (colon > first) folders.push_back(path.substr(first, colon - first));
    first = colon + 1;
  }
  if (const std::string home = variable("CUDA_HOME"); !home.empty())
    folders.push_back(home + "/bin");
  folders.emplace_back("/usr/local/cuda/bin");
  for (const std::string& folder : folders) {
    std::string program = fmt::format("{}/{}", folder, name);
    std::error_code ignored;
    if (fs::is_regular_file(program, ignored) && access(program.c_str(), X_OK) == 0) return program;
  }
  throw disassembly_error(fmt::format("{} not found, {}", name, install));
}

}  // namespace

scratch_folder::scratch_folder() : path_(fs::temp_directory_path() / "syncmeter-XXXXXX") {
  std::string name = path_.string();
  if (::mkdtemp(name.data()) == nullptr)
    throw disassembly_error(
        fmt::format("cannot make a folder like {}: {}", name, std::strerror(errno)));
  path_ = name;
}

scratch_folder::~scratch_folder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::vector<cubin> extract_cubins(const std::string& program, const scratch_folder& folder) {
  read_lines_of(
      {.arguments = {find_cuda_tool("cuobjdump"), "-xelf", "all", fs::absolute(program).string()},
       .path = program,
       .install = install,
       .folder = folder.path().string()},
      [](std::string_view) {});
  std::vector<cubin> cubins;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder.path())) {
    const fs::path& path = entry.path();  // worker.3.sm_90.cubin
    if (path.extension() == ".cubin")
      cubins.push_back({path.string(), path.stem().extension().string().erase(0, 1)});
  }
  std::ranges::sort(cubins, {}, &cubin::path);
  return cubins;
}

std::vector<std::string> disassemble_sass(std::string_view code, std::uint64_t base,
                                          const std::string& architecture,
                                          const scratch_folder& folder,
                                          const std::string& program) {
  const std::string file = (folder.path() / "code").string();
  std::ofstream(file, std::ios::binary)
      .write(code.data(), static_cast<std::streamsize>(code.size()));
  std::string target = architecture;  // sm_90 to SM90
  target.replace(0, std::min<std::size_t>(3, target.size()), "SM");
  std::vector<std::string> lines;
  read_lines_of({.arguments = {find_cuda_tool("nvdisasm"), "--print-raw", "--binary", target,
                               "--base-address", fmt::format("{:#x}", base), file},
                 .path = program,
                 .install = install},
                [&lines](std::string_view line) { lines.emplace_back(line); });
  return lines;
}

}  // namespace syncmeter
