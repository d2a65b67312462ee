#include "driver/census/tools/sass_code.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "driver/census/isa/instruction.hpp"
#include "driver/census/isa/instruction_class.hpp"
#include "driver/census/tools/cuda_tools.hpp"

namespace syncmeter {
namespace {

std::string_view common_head(std::string_view a, std::string_view b) {
  const auto [end, ignored] = std::ranges::mismatch(a, b);
  return a.substr(0, static_cast<std::size_t>(end - a.begin()));
}

constexpr std::size_t instruction_bytes = 16;  // since sm_70

struct kernel {
  std::string name;                  ///< that it was asked for by
  std::vector<std::uint32_t> words;  ///< which instructions of the dictionary it is made of
};

/// The different instructions of an architecture, in the order in which they were added.
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
    const auto read = [&](const std::string& code, std::uint64_t base) {
      return parsed(disassemble_sass(code, base, architecture, folder, program),
                    code.size() / instruction_bytes, program);
    };
    instructions_ = read(code_, first_base);
    // Where it goes is told as an address. What that is beside its own shows at another place.
    std::string with_number;
    std::vector<std::size_t> which;
    for (std::size_t i = 0; i < instructions_.size(); ++i) {
      if (!last_number(instructions_[i])) continue;
      with_number += code_.substr(i * instruction_bytes, instruction_bytes);
      which.push_back(i);
    }
    is_pc_relative_.assign(instructions_.size(), false);
    if (which.empty()) return;
    const std::vector<instruction> elsewhere = read(with_number, second_base);
    for (std::size_t i = 0; i < which.size(); ++i)
      is_pc_relative_[which[i]] = last_number(elsewhere[i]) != last_number(instructions_[which[i]]);
  }

  /// The instruction as it reads at this address.
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
  /// Far from 0, so that no target lies before it, and from each other.
  static constexpr std::uint64_t first_base = 0x1000'0000, second_base = 0x3000'0000;

  static std::optional<std::uint64_t> last_number(const instruction& one) {
    const std::string_view last = last_word(one.operands);
    return last.starts_with("0x") ? parse_hex(last.substr(2)) : std::nullopt;
  }

  static std::vector<instruction> parsed(const std::vector<std::string>& lines,
                                         std::size_t expected, const std::string& program) {
    std::vector<instruction> instructions;
    for (const std::string& line : lines) {
      if (auto one = parse_sass_instruction(line)) instructions.push_back(std::move(*one));
    }
    if (instructions.size() == expected) return instructions;
    throw disassembly_error(fmt::format("{}: nvdisasm printed {} instructions of {}", program,
                                        instructions.size(), expected));
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

void kernel_names::add(const std::string& name) {
  const bool of_cpp = name.find("::") != std::string::npos;
  (of_cpp ? within_ : literal_).insert(name);
}

std::string kernel_names::wanted(std::string_view function) const {
  if (literal_.contains(function)) return std::string{function};
  if (within_.empty()) return {};
  // Names of one kind begin alike, and of those that are no longer than what stands there the last
  // one is the longest that can fit.
  const std::string plain = demangled(function);
  const auto head = common_head(*within_.begin(), *within_.rbegin());
  for (auto at = plain.find(head); at != std::string::npos; at = plain.find(head, at + 1)) {
    const std::string_view rest = std::string_view{plain}.substr(at);
    const auto after = within_.upper_bound(rest);
    if (after != within_.begin() && rest.starts_with(*std::prev(after))) return *std::prev(after);
  }
  return {};
}

void read_sass(const std::string& path, const kernel_names& names, const sass_sink& sink) {
  const scratch_folder folder;
  std::map<std::string, kernels_of_architecture> found;
  for (const cubin& each : extract_cubins(path, folder)) {
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
