// Finds and runs cuobjdump.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <filesystem>
#include <future>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "driver/census/sass_census.hpp"

namespace syncmeter {
namespace {

namespace fs = std::filesystem;

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
    if (fs::is_regular_file(program, ignored) && access(program.c_str(), X_OK) == 0) return program;
  }
  throw disassembly_error(fmt::format("cuobjdump not found, {}", install));
}

/// A new folder, which goes with what lies in it.
class scratch_folder {
 public:
  scratch_folder() : path_(fs::temp_directory_path() / "syncmeter-XXXXXX") {
    std::string name = path_.string();
    if (::mkdtemp(name.data()) == nullptr)
      throw disassembly_error(
          fmt::format("cannot make a folder like {}: {}", name, std::strerror(errno)));
    path_ = name;
  }
  ~scratch_folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::string text_printed_by(const disassembler_call& call) {
  std::string text;
  read_lines_of(call, [&text](std::string_view line) { text.append(line).push_back('\n'); });
  return text;
}

void hand_over_lines(std::string_view text, const line_sink& sink) {
  for (std::size_t end = 0; (end = text.find('\n')) != std::string_view::npos;) {
    sink(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
}

// All of a program: a worker has some thirty cubins, and cuobjdump takes them one after the other
// (90 s for a worker of all studies). They are taken apart first, and read side by side.
void disassemble_all(disassembler_call call, const std::string& program, const line_sink& sink) {
  const scratch_folder folder;
  disassembler_call extract = call;
  extract.folder = folder.path().string();
  extract.arguments = {program, "-xelf", "all", fs::absolute(call.path).string()};
  read_lines_of(extract, [](std::string_view) {});
  std::vector<std::string> cubins;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder.path()))
    cubins.push_back(entry.path().string());
  if (cubins.empty()) return read_lines_of(call, sink);
  std::ranges::sort(cubins);
  const std::size_t at_once = std::max(1U, std::thread::hardware_concurrency());
  std::deque<std::future<std::string>> under_way;
  for (std::size_t next = 0; next < cubins.size() || !under_way.empty();) {
    for (; next < cubins.size() && under_way.size() < at_once; ++next) {
      call.arguments.back() = cubins[next];
      under_way.push_back(std::async(std::launch::async, text_printed_by, call));
    }
    hand_over_lines(under_way.front().get(), sink);
    under_way.pop_front();
  }
}

}  // namespace

void run_cuobjdump(const std::string& path, const std::set<std::string>& names,
                   const line_sink& sink) {
  const std::string program = find_cuobjdump();
  disassembler_call call{.arguments = {program, "-sass"}, .path = path, .install = install};
  // Names that it does not find in one of several cubins are only warnings to it.
  const bool few = !names.empty() && names.size() <= few_functions;
  if (few) {
    call.arguments.emplace_back("-fun");
    call.arguments.push_back(fmt::format("{}", fmt::join(names, ",")));
  }
  // It has no "--": a path that begins with a dash would be an option.
  call.arguments.push_back(path.starts_with('-') ? "./" + path : path);
  try {
    if (few) read_lines_of(call, sink);
    else disassemble_all(std::move(call), program, sink);
  } catch (const disassembly_error& error) {
    const std::string text = error.what();
    if (text.find("nvdisasm") == std::string::npos) throw;
    throw disassembly_error(fmt::format("{}; {}", text, install));
  }
}

}  // namespace syncmeter
