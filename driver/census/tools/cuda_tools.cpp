#include "driver/census/tools/cuda_tools.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "driver/census/tools/ptx_of_gcc.hpp"
#include "driver/workers/find_workers.hpp"

namespace syncmeter {
namespace {

namespace fs = std::filesystem;

constexpr const char* install =
    "install the CUDA toolkit or the Python packages nvidia-cuda-cuobjdump and "
    "nvidia-cuda-nvdisasm, and put their bin folder on PATH";

std::string find_cuda_tool(const std::string& name) {
  std::vector<fs::path> folders;
  if (const char* const home = std::getenv("CUDA_HOME"); home != nullptr && *home != '\0')
    folders.push_back(fs::path(home) / "bin");
  folders.emplace_back("/usr/local/cuda/bin");
  if (const auto found = program_on_path(name, folders)) return *found;
  throw disassembly_error(fmt::format("{} not found, {}", name, install));
}

/// A cubin in a program: machine code for one architecture.
struct cubin {
  std::string path;
  std::string architecture;  ///< "sm_90"
};

/// Returns true for a script, which has no machine code: its interpreter compiles the kernels.
bool is_script(const std::string& program) {
  std::array<char, 2> begin{};
  std::ifstream(program, std::ios::binary).read(begin.data(), begin.size());
  return begin == std::array{'#', '!'};
}

/// CUDA's driver compiles PTX for the present device. The census compiles PTX for this
/// architecture, as a separate object file to keep function names.
constexpr const char* architecture_of_ptx = "sm_90";

/// Returns the commands that write a program's cubins into a folder. A script writes the wanted
/// kernels (docs/reference/worker-protocol.md), ptxas compiles PTX text in a program, and
/// `cuobjdump -xelf` extracts embedded cubins.
std::vector<std::vector<std::string>> commands_that_extract(const std::string& program,
                                                            const fs::path& folder,
                                                            const kernel_names& names) {
  const std::string path = fs::absolute(program).string();
  if (is_script(program)) {
    std::vector<std::string> command{path, "--machine-code", folder.string()};
    const std::vector<std::string> kernels = names.literal();
    command.insert(command.end(), kernels.begin(), kernels.end());
    return {command};
  }
  std::vector<std::vector<std::string>> commands;
  for (const std::string& module : ptx_modules_of(program, names)) {
    const std::string name = (folder / fmt::format("gcc{}", commands.size())).string();
    write_for_tool(name + ".ptx", module);
    commands.push_back({find_cuda_tool("ptxas"), "-c", "-arch", architecture_of_ptx, "-o",
                        fmt::format("{}.{}.cubin", name, architecture_of_ptx), name + ".ptx"});
  }
  if (commands.empty()) commands.push_back({find_cuda_tool("cuobjdump"), "-xelf", "all", path});
  return commands;
}

/// Extracts cubins from a program or cubin file into `folder`. Searches CUDA tools on PATH, in
/// $CUDA_HOME/bin and in /usr/local/cuda/bin. Throws disassembly_error, also if the program does
/// not exist.
std::vector<cubin> extract_cubins(const std::string& program, const scratch_folder& folder,
                                  const kernel_names& names = {}) {
  for (const auto& command : commands_that_extract(program, folder.path(), names))
    read_lines_of({.arguments = command,
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

constexpr std::size_t instruction_bytes = 16;  // since sm_70

/// Runs `nvdisasm` on bare instructions from address `base`. Messages use `program`.
std::vector<instruction> disassemble_sass(std::string_view code, std::uint64_t base,
                                          const std::string& architecture,
                                          const scratch_folder& folder,
                                          const std::string& program) {
  const std::string file = (folder.path() / "code").string();
  write_for_tool(file, code);
  std::string target = architecture;  // converts sm_90 to SM90
  target.replace(0, std::min<std::size_t>(3, target.size()), "SM");
  std::vector<instruction> instructions;
  read_lines_of({.arguments = {find_cuda_tool("nvdisasm"), "--print-raw", "--binary", target,
                               "--base-address", fmt::format("{:#x}", base), file},
                 .path = program,
                 .install = install},
                [&](std::string_view line) {
                  if (auto one = parse_sass_instruction(line))
                    instructions.push_back(std::move(*one));
                });
  const std::size_t expected = code.size() / instruction_bytes;
  if (instructions.size() == expected) return instructions;
  throw disassembly_error(fmt::format("{}: nvdisasm printed {} instructions of {}", program,
                                      instructions.size(), expected));
}

bool names_a_place(std::string_view mnemonic) {
  const std::string_view opcode = mnemonic.substr(0, mnemonic.find('.'));
  return is_one_of(opcode, {"BRA", "JMP", "CALL", "BSSY", "RET"}) ||
         mnemonic.starts_with("WARPSYNC.COLLECTIVE");
}

/// Reads the target from the last operand: "0x1b0", or "`(name)" for another function.
void set_target(instruction& parsed) {
  const std::string_view last = last_word(parsed.operands);
  if (last.starts_with("0x")) parsed.target_address = parse_hex(last.substr(2));
  else if (last.starts_with("`(") && last.ends_with(')'))
    parsed.target = last.substr(2, last.size() - 3);
}

std::string_view common_head(std::string_view a, std::string_view b) {
  const auto [end, ignored] = std::ranges::mismatch(a, b);
  return a.substr(0, static_cast<std::size_t>(end - a.begin()));
}

struct kernel {
  std::string name;                  ///< wanted name
  std::vector<std::uint32_t> words;  ///< dictionary numbers of the kernel's instructions
};

/// Different instructions of an architecture, in insertion order.
class sass_dictionary {
 public:
  [[nodiscard]] std::uint32_t number_of(std::string_view encoding) {
    const auto next = static_cast<std::uint32_t>(code_.size() / instruction_bytes);
    const auto [at, is_new] = numbers_.try_emplace(std::string(encoding), next);
    if (is_new) code_.append(encoding);
    return at->second;
  }

  void disassemble(const std::string& architecture, const scratch_folder& folder,
                   const std::string& program) {
    instructions_ = disassemble_sass(code_, first_base, architecture, folder, program);
    // Disassembles at a second base: a printed number that changes with the base is a relative
    // address.
    std::string with_number;
    std::vector<std::size_t> which;
    for (std::size_t i = 0; i < instructions_.size(); ++i) {
      if (!last_number(instructions_[i])) continue;
      with_number += code_.substr(i * instruction_bytes, instruction_bytes);
      which.push_back(i);
    }
    is_pc_relative_.assign(instructions_.size(), false);
    if (which.empty()) return;
    const std::vector<instruction> elsewhere =
        disassemble_sass(with_number, second_base, architecture, folder, program);
    for (std::size_t i = 0; i < which.size(); ++i)
      is_pc_relative_[which[i]] = last_number(elsewhere[i]) != last_number(instructions_[which[i]]);
  }

  /// Returns the instruction with operands for this address.
  [[nodiscard]] instruction at(std::uint32_t number, std::uint64_t address) const {
    instruction one = instructions_[number];
    if (is_pc_relative_[number]) {
      const std::uint64_t target = *last_number(one) - one.address + address;
      one.operands.resize(one.operands.rfind("0x"));
      one.operands += fmt::format("{:#x}", target);
      if (one.target_address) one.target_address = target;
    }
    one.address = address;
    return one;
  }

 private:
  /// Both bases are far from 0 (no target lies below 0) and from each other.
  static constexpr std::uint64_t first_base = 0x1000'0000, second_base = 0x3000'0000;

  static std::optional<std::uint64_t> last_number(const instruction& one) {
    const std::string_view last = last_word(one.operands);
    return last.starts_with("0x") ? parse_hex(last.substr(2)) : std::nullopt;
  }

  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::string code_;
  std::vector<instruction> instructions_;
  std::vector<bool> is_pc_relative_;
};

/// The kernels of one architecture.
struct kernels_of_architecture {
  sass_dictionary dictionary;
  std::vector<kernel> kernels;

  void add(const std::string& cubin_path, const kernel_names& names) {
    constexpr std::string_view text = ".text.";
    elf_file file(cubin_path);
    const std::string section_names = file.names_of_sections();
    for (const Elf64_Shdr& section : file.sections()) {
      const std::string name = name_at(section_names, section.sh_name);
      if (!name.starts_with(text)) continue;
      kernel one{names.wanted(std::string_view(name).substr(text.size())), {}};
      if (one.name.empty()) continue;
      const std::string code = file.bytes_of(section);
      for (std::size_t at = 0; at + instruction_bytes <= code.size(); at += instruction_bytes)
        one.words.push_back(
            dictionary.number_of(std::string_view(code).substr(at, instruction_bytes)));
      kernels.push_back(std::move(one));
    }
  }
};

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
  // An encoding is "/* 0x... */", but an address has no blanks and no 0x.
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

void write_for_tool(const std::string& file, std::string_view bytes) {
  std::ofstream out(file, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size())).flush();
  if (!out)
    throw disassembly_error(fmt::format("{} cannot be written: {}", file, std::strerror(errno)));
}

void kernel_names::add(const std::string& name) {
  const bool of_cpp = name.find("::") != std::string::npos;
  (of_cpp ? within_ : literal_).insert(name);
}

std::vector<std::string> kernel_names::literal() const {
  return {literal_.begin(), literal_.end()};
}

std::string kernel_names::wanted(std::string_view function) const {
  if (literal_.contains(function)) return std::string{function};
  if (within_.empty()) return {};
  // Wanted names share a head. Among names up to `rest`, the last name is the longest possible
  // match.
  const std::string plain = demangled(function);
  const auto head = common_head(*within_.begin(), *within_.rbegin());
  for (auto at = plain.find(head); at != std::string::npos; at = plain.find(head, at + 1)) {
    const std::string_view rest = std::string_view{plain}.substr(at);
    const auto after = within_.upper_bound(rest);
    if (after != within_.begin() && rest.starts_with(*std::prev(after))) return *std::prev(after);
  }
  return {};
}

std::vector<std::string> print_newest_sass(const std::string& path, const sass_line_sink& sink) {
  const scratch_folder folder;
  const std::vector<cubin> cubins = extract_cubins(path, folder);
  std::set<std::pair<int, std::string>> by_number;
  for (const cubin& each : cubins)
    by_number.emplace(architecture_number(each.architecture), each.architecture);
  std::vector<std::string> architectures;
  for (const auto& [number, architecture] : by_number) architectures.push_back(architecture);
  for (const cubin& each : cubins)
    if (each.architecture == architectures.back())
      read_lines_of({.arguments = {find_cuda_tool("nvdisasm"), "--print-code",
                                   "--print-line-info-inline", each.path},
                     .path = path,
                     .install = install},
                    [&](std::string_view line) { sink(line, each.architecture); });
  return architectures;
}

void read_sass(const std::string& path, const kernel_names& names, const sass_sink& sink) {
  const scratch_folder folder;
  std::map<std::string, kernels_of_architecture> found;
  for (const cubin& each : extract_cubins(path, folder, names)) {
    if (architecture_number(each.architecture) < 70)
      throw disassembly_error(
          fmt::format("{}: machine code for {} cannot be read, only for sm_70 and later", path,
                      each.architecture));
    found[each.architecture].add(each.path, names);
  }
  for (auto& [architecture, of] : found) {
    if (of.kernels.empty()) continue;
    of.dictionary.disassemble(architecture, folder, path);
    for (const kernel& one : of.kernels) {
      std::vector<instruction> body;
      body.reserve(one.words.size());
      for (const std::uint32_t word : one.words)
        body.push_back(of.dictionary.at(word, body.size() * instruction_bytes));
      sink(architecture, one.name, body);
    }
  }
}

}  // namespace syncmeter
