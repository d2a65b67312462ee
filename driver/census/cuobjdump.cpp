// Finds and runs cuobjdump.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "driver/census/sass_census.hpp"

namespace syncmeter {
namespace {

constexpr const char* install =
    "install the CUDA toolkit or the Python packages nvidia-cuda-cuobjdump and "
    "nvidia-cuda-nvdisasm, and put their bin folder on PATH";

/// Beyond this the whole program is disassembled. cuobjdump starts anew for every name (0.7 s each,
/// where a whole worker of 185 kernels took 6 s), and a command line has limits.
constexpr std::size_t few_functions = 8;

std::string find_cuobjdump() {
  std::vector<std::string> folders;
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
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
    std::string program = folder + "/cuobjdump";
    std::error_code ignored;
    if (std::filesystem::is_regular_file(program, ignored) && access(program.c_str(), X_OK) == 0)
      return program;
  }
  throw disassembly_error(fmt::format("cuobjdump not found, {}", install));
}

}  // namespace

void run_cuobjdump(const std::string& path, const std::set<std::string>& names,
                   const line_sink& sink) {
  disassembler_call call{
      .arguments = {find_cuobjdump(), "-sass"}, .path = path, .install = install};
  // Names that it does not find in one of several cubins are only warnings to it.
  if (!names.empty() && names.size() <= few_functions) {
    call.arguments.emplace_back("-fun");
    call.arguments.push_back(fmt::format("{}", fmt::join(names, ",")));
  }
  // It has no "--": a path that begins with a dash would be an option.
  call.arguments.push_back(path.starts_with('-') ? "./" + path : path);
  try {
    read_lines_of(call, sink);
  } catch (const disassembly_error& error) {
    const std::string text = error.what();
    if (text.find("nvdisasm") == std::string::npos) throw;
    throw disassembly_error(fmt::format("{}; {}", text, install));
  }
}

}  // namespace syncmeter
