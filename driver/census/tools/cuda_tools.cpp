#include "driver/census/tools/cuda_tools.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include <fmt/format.h>

#include "driver/census/isa/instruction.hpp"
#include "driver/census/tools/disassembler.hpp"
#include "driver/census/tools/elf_file.hpp"

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
    if (fs::is_regular_file(program, ignored) && ::access(program.c_str(), X_OK) == 0) return program;
  }
  throw disassembly_error(fmt::format("{} not found, {}", name, install));
}

bool names_a_place(std::string_view mnemonic) {
  const std::string_view opcode = mnemonic.substr(0, mnemonic.find('.'));
  return is_one_of(opcode, {"BRA", "JMP", "CALL", "BSSY", "RET"}) ||
         mnemonic.starts_with("WARPSYNC.COLLECTIVE");
}

/// Sets what the last operand says: "0x1b0", or "`(name)" for another function.
void set_target(instruction& parsed) {
  const std::string_view last = last_word(parsed.operands);
  if (last.starts_with("0x")) {
    parsed.target_address = parse_hex(last.substr(2));
  } else if (last.starts_with("`(") && last.ends_with(')')) {
    parsed.target = last.substr(2, last.size() - 3);
  }
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

int architecture_number(std::string_view architecture) {
  const auto digit = architecture.find_first_of("0123456789");
  return digit == architecture.npos ? 0
                                    : std::atoi(std::string(architecture.substr(digit)).c_str());
}

std::optional<instruction> parse_sass_instruction(std::string_view line) {
  std::string_view text = trimmed(line);
  if (!text.starts_with("/*")) return std::nullopt;
  const auto closing = text.find("*/");
  const auto semicolon = text.find(';');
  if (closing == std::string_view::npos || semicolon == std::string_view::npos) return std::nullopt;
  // An encoding is "/* 0x... */"; an address has neither blanks nor 0x.
  const auto address = parse_hex(text.substr(2, closing - 2));
  if (!address || semicolon < closing) return std::nullopt;
  text = trimmed(text.substr(closing + 2, semicolon - closing - 2));

  instruction parsed;
  parsed.address = *address;
  if (text.starts_with('@')) parsed.prefixes = next_word(text);
  parsed.mnemonic = next_word(text);
  parsed.operands = text;
  if (parsed.mnemonic.empty()) return std::nullopt;
  if (names_a_place(parsed.mnemonic)) set_target(parsed);
  return parsed;
}

}  // namespace syncmeter
