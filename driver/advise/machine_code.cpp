#include "driver/advise/machine_code.hpp"

#include <algorithm>
#include <functional>
#include <span>

#include "driver/census/tools/disassembler.hpp"
#include "driver/census/tools/elf_file.hpp"

namespace syncmeter {
namespace {

/// The kinds of the functions that the probe counts, by name. Of `syscall` only the calls for
/// futexes are, and which those are is not in the call's instruction.
const std::map<std::string, std::string, std::less<>>& kinds_of_functions() {
  static const std::map<std::string, std::string, std::less<>> kinds = [] {
    std::map<std::string, std::string, std::less<>> all{
#define SM_OPENMP(name, kind, ...) {#name, #kind},
#define SM_OPENMP_TRY(name, kind, ...) {#name, #kind},
#define SM_POSIX(name, kind, ...) {#name, #kind},
#define SM_POSIX_TRY(name, kind, ...) {#name, #kind},
#define SM_POSIX_UNTIL(name, kind, ...) {#name, #kind},
#define SM_BY_HAND(name, kind) {#name, #kind},
#define SM_LOOP_REGION(name) {"GOMP_parallel_loop_" #name, "region"},
#define SM_OPENMP_END(...)
#define SM_POSIX_END(...)
#define SM_OPENMP_BEGIN(...)
#define SM_POSIX_BEGIN(...)
#include "probe/wrapped.def"
    };
    all.erase("syscall");
    return all;
  }();
  return kinds;
}

/// What a call, or a jump that ends a function by a call, is for; empty for jumps inside of one.
std::string called_function(const instruction& what, const instruction_class& is) {
  const bool goes = is.name == "jump" || is.name.starts_with("call:");
  return goes && what.target.find('+') == std::string::npos ? callee_name(what.target) : "";
}

using instruction_visitor = std::function<void(const instruction&, const instruction_class&)>;

/// The sections of code. A table of jumps to other libraries' functions calls nothing by itself.
std::vector<code_range> code_sections(const std::string& path) {
  elf_file file(path);
  const std::string names = file.names_of_sections();
  std::vector<code_range> sections;
  for (const Elf64_Shdr& section : file.sections())
    if (section.sh_type == SHT_PROGBITS && (section.sh_flags & SHF_EXECINSTR) != 0 &&
        !name_at(names, section.sh_name).starts_with(".plt"))
      sections.push_back({section.sh_addr, section.sh_size});
  return sections;
}

/// Every instruction of this code, whose beginning is that of an instruction.
void visit_code(const std::string& path, enum machine m, const std::vector<code_range>& code,
                const instruction_visitor& visit) {
  if (m == machine::other) elf_file(path).fail("its machine's instructions are not known");
  // What is in memory at one time.
  constexpr std::uint64_t part = 0x10000;
  std::vector<code_range> parts;
  for (const auto& [first, size] : code)
    for (std::uint64_t at = 0; at < size; at += part)
      parts.push_back({first + at, std::min(part, size - at)});
  disassemble(path, m, std::move(parts), [&](code_range, std::span<const instruction> body) {
    const auto classes = classes_of(body, m);
    for (std::size_t i = 0; i < body.size(); ++i) visit(body[i], classes[i]);
  });
}

/// Of offsets in a file that it loads as code: its address of each.
std::map<std::uint64_t, std::uint64_t> offsets_by_address(const std::string& path,
                                                          const std::set<std::uint64_t>& offsets) {
  elf_file file(path);
  std::map<std::uint64_t, std::uint64_t> by_address;
  for (const Elf64_Phdr& part : file.segments()) {
    if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0) continue;
    for (auto at = offsets.lower_bound(part.p_offset);
         at != offsets.end() && *at - part.p_offset < part.p_filesz; ++at)
      by_address[*at - part.p_offset + part.p_vaddr] = *at;
  }
  return by_address;
}

/// The code around these addresses, from the beginning of each one's function on: inside of it
/// nobody knows where an instruction begins. A library may have hundreds of megabytes: what lies
/// between code that is far apart is left out.
std::vector<code_range> code_around(const std::map<std::uint64_t, std::uint64_t>& addresses,
                                    const elf_symbols& symbols,
                                    const std::vector<code_range>& sections) {
  // Disassembled in about the time that it takes to start once more.
  constexpr std::uint64_t near_by = 0x100000, longest_instruction = 16;
  std::set<std::uint64_t> beginnings;
  for (const code_range& section : sections) beginnings.insert(section.first);
  for (const auto& [name, function] : symbols.functions) beginnings.insert(function.first);
  std::vector<code_range> found;
  for (const auto& each_address : addresses) {
    const std::uint64_t address = each_address.first;
    const auto section = std::ranges::find_if(sections, [&](const code_range& each) {
      return address >= each.first && address - each.first < each.size;
    });
    if (section == sections.end()) continue;
    const std::uint64_t first = std::max(section->first, *--beginnings.upper_bound(address));
    const std::uint64_t end =
        std::min(address + longest_instruction, section->first + section->size);
    if (!found.empty() && first <= found.back().first + found.back().size + near_by &&
        found.back().first >= section->first)
      found.back().size = std::max(found.back().size, end - found.back().first);
    else found.push_back({first, end - first});
  }
  return found;
}

/// A pause is for a load that is repeated.
bool is_access(const instruction_class& is) {
  const auto accesses = [](std::string_view name) {
    return is_one_of(name, {"load", "store", "rmw", "load_acquire", "store_release", "pause"});
  };
  return accesses(is.name) || accesses(is.also);
}

}  // namespace

bool is_locked(std::string_view name) {
  return is_one_of(name, {"xchg_mem", "mfence"}) ||
         starts_with_any(name, {"lock_", "lse_", "ldxr", "ldaxr", "stxr", "stlxr", "ldxp", "ldaxp",
                                "stxp", "stlxp", "dmb_", "dsb_", "amo", "lr.", "sc.", "fence",
                                "call:__aarch64_"});
}

site site_of(const instruction& what, const instruction_class& is) {
  if (is_locked(is.name))
    return {.kind = "atomic", .module = {}, .offset = what.address, .operation = is.name};
  const std::string called = called_function(what, is);
  auto found = kinds_of_functions().find(called);
  // The C library's own name of it, in a static program.
  if (const auto plain = called.find_first_not_of('_');
      found == kinds_of_functions().end() && plain != std::string::npos)
    found = kinds_of_functions().find(called.substr(plain));
  if (found == kinds_of_functions().end()) return {.kind = {}, .module = {}};
  return {.kind = found->second, .module = {}, .offset = what.address, .operation = found->first};
}

std::vector<site> sites_in_code(const std::string& path) {
  std::vector<site> found;
  visit_code(path, read_elf_symbols(path).machine, code_sections(path),
             [&](const instruction& what, const instruction_class& is) {
               site here = site_of(what, is);
               if (here.kind.empty()) return;
               here.module = path;
               found.push_back(std::move(here));
             });
  return found;
}

sampled_code code_of_sample(const instruction& at, const instruction_class& is,
                            const instruction& before, const instruction_class& before_is) {
  if (is_locked(before_is.name)) return {before.address, "atomic", before_is.name};
  if (is_locked(is.name)) return {at.address, "atomic", is.name};
  if (is_access(is) || is_access(before_is))
    return {at.address, "memory", is_access(is) ? is.name : before_is.name};
  return {at.address, "", ""};
}

instruction_class without_constant(const instruction& what, const instruction_class& is,
                                   const std::vector<code_range>& read_only) {
  const bool constant =
      what.data_address && std::ranges::any_of(read_only, [&](const code_range& part) {
        return *what.data_address >= part.first && *what.data_address - part.first < part.size;
      });
  return constant && is_access(is) ? instruction_class{.name = "constant"} : is;
}

std::map<std::uint64_t, sampled_code> code_at(const std::string& path,
                                              const std::set<std::uint64_t>& offsets) {
  const std::map<std::uint64_t, std::uint64_t> offset_of = offsets_by_address(path, offsets);
  std::map<std::uint64_t, sampled_code> found;
  const elf_symbols symbols = read_elf_symbols(path);
  std::vector<code_range> read_only;
  for (const Elf64_Phdr& part : elf_file(path).segments())
    if (part.p_type == PT_LOAD && (part.p_flags & PF_W) == 0)
      read_only.push_back({part.p_vaddr, part.p_memsz});
  for (const code_range& part : code_around(offset_of, symbols, code_sections(path))) {
    instruction before;
    instruction_class before_is;
    visit_code(path, symbols.machine, {part},
               [&](const instruction& what, const instruction_class& of_code) {
                 const instruction_class is = without_constant(what, of_code, read_only);
                 if (const auto sampled = offset_of.find(what.address); sampled != offset_of.end())
                   found.emplace(sampled->second, code_of_sample(what, is, before, before_is));
                 before = what;
                 before_is = is;
               });
  }
  return found;
}

}  // namespace syncmeter
