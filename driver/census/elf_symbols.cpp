#include "driver/census/elf_symbols.hpp"

#include <vector>

namespace syncmeter {
namespace {

machine machine_of(std::uint16_t e_machine) {
  if (e_machine == EM_X86_64) return machine::x86_64;
  if (e_machine == EM_AARCH64) return machine::aarch64;
  if (e_machine == EM_RISCV) return machine::riscv64;
  return machine::other;
}

void add_functions(elf_symbols& found, const std::vector<Elf64_Sym>& symbols,
                   std::string_view names) {
  for (const Elf64_Sym& symbol : symbols) {
    const bool code = ELF64_ST_TYPE(symbol.st_info) == STT_FUNC;
    if (!code || symbol.st_shndx == SHN_UNDEF || symbol.st_name >= names.size()) continue;
    found.functions.try_emplace(name_at(names, symbol.st_name),
                                code_range{symbol.st_value, symbol.st_size});
  }
}

}  // namespace

std::string_view to_text(machine m) {
  switch (m) {
  case machine::x86_64:
    return "x86-64";
  case machine::aarch64:
    return "aarch64";
  case machine::riscv64:
    return "riscv64";
  case machine::sass:
    return "sass";
  case machine::other:
    break;
  }
  return "other";
}

elf_symbols read_elf_symbols(const std::string& path) {
  elf_file file(path);
  elf_symbols found{.machine = machine_of(file.machine()), .functions = {}};
  for (const Elf64_Shdr& section : file.sections()) {
    if (section.sh_type != SHT_SYMTAB && section.sh_type != SHT_DYNSYM) continue;
    if (section.sh_link >= file.sections().size()) file.fail("a symbol table has no names");
    add_functions(found,
                  file.read<Elf64_Sym>(section.sh_offset, section.sh_size / sizeof(Elf64_Sym)),
                  file.bytes_of(file.sections()[section.sh_link]));
  }
  return found;
}

}  // namespace syncmeter
