// Reads the symbol tables of an ELF file by hand: the two tables are all that is needed, and nm or
// readelf would be one more process whose text has to be parsed.
#include "driver/census/elf_symbols.hpp"

#include <elf.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <vector>

#include <fmt/format.h>

namespace syncmeter {
namespace {

class elf_file {
 public:
  explicit elf_file(const std::string& path) : path_(path), in_(path, std::ios::binary) {
    if (!in_) fail(std::strerror(errno));
    in_.seekg(0, std::ios::end);
    size_ = static_cast<std::uint64_t>(in_.tellg());
  }

  [[noreturn]] void fail(std::string_view why) const {
    throw disassembly_error(fmt::format("{}: {}", path_, why));
  }

  /// `count` objects of type T at `offset` of the file.
  template <class T> [[nodiscard]] std::vector<T> read(std::uint64_t offset, std::uint64_t count) {
    if (offset > size_ || count > (size_ - offset) / sizeof(T)) fail("the ELF file is cut short");
    std::vector<T> values(count);
    in_.seekg(static_cast<std::streamoff>(offset));
    in_.read(reinterpret_cast<char*>(values.data()),
             static_cast<std::streamsize>(count * sizeof(T)));
    if (!in_) fail("the ELF file cannot be read");
    return values;
  }

  [[nodiscard]] std::uint64_t size() const { return size_; }

 private:
  std::string path_;
  std::ifstream in_;
  std::uint64_t size_ = 0;
};

machine machine_of(std::uint16_t e_machine) {
  if (e_machine == EM_X86_64) return machine::x86_64;
  if (e_machine == EM_AARCH64) return machine::aarch64;
  if (e_machine == EM_RISCV) return machine::riscv64;
  return machine::other;
}

void add_functions(elf_symbols& found, const std::vector<Elf64_Sym>& symbols,
                   const std::vector<char>& names) {
  for (const Elf64_Sym& symbol : symbols) {
    const bool code = ELF64_ST_TYPE(symbol.st_info) == STT_FUNC;
    if (!code || symbol.st_shndx == SHN_UNDEF || symbol.st_name >= names.size()) continue;
    const char* name = names.data() + symbol.st_name;
    found.functions.try_emplace(std::string(name, strnlen(name, names.size() - symbol.st_name)),
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
  if (file.size() < sizeof(Elf64_Ehdr)) file.fail("not an ELF program");
  const Elf64_Ehdr header = file.read<Elf64_Ehdr>(0, 1).front();
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) file.fail("not an ELF program");
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB) {
    file.fail("only 64-bit little-endian ELF programs can be read");
  }
  elf_symbols found{.machine = machine_of(header.e_machine), .functions = {}};
  const auto sections = file.read<Elf64_Shdr>(header.e_shoff, header.e_shnum);
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type != SHT_SYMTAB && section.sh_type != SHT_DYNSYM) continue;
    if (section.sh_link >= sections.size()) file.fail("a symbol table has no names");
    const Elf64_Shdr& names = sections[section.sh_link];
    add_functions(found,
                  file.read<Elf64_Sym>(section.sh_offset, section.sh_size / sizeof(Elf64_Sym)),
                  file.read<char>(names.sh_offset, names.sh_size));
  }
  return found;
}

}  // namespace syncmeter
