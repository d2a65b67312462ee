#include "driver/census/tools/elf_file.hpp"

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

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

elf_file::elf_file(const std::string& path) : path_(path), in_(path, std::ios::binary) {
  if (!in_) fail(std::strerror(errno));
  in_.seekg(0, std::ios::end);
  size_ = static_cast<std::uint64_t>(in_.tellg());
  if (size_ < sizeof(Elf64_Ehdr)) fail("not an ELF program");
  header_ = read<Elf64_Ehdr>(0, 1).front();
  if (std::memcmp(header_.e_ident, ELFMAG, SELFMAG) != 0) fail("not an ELF program");
  if (header_.e_ident[EI_CLASS] != ELFCLASS64 || header_.e_ident[EI_DATA] != ELFDATA2LSB)
    fail("only 64-bit little-endian ELF programs can be read");
  sections_ = read<Elf64_Shdr>(header_.e_shoff, header_.e_shnum);
}

void elf_file::fail(std::string_view why) const {
  throw disassembly_error(fmt::format("{}: {}", path_, why));
}

void elf_file::read_into(char* to, std::uint64_t offset, std::uint64_t size) {
  in_.seekg(static_cast<std::streamoff>(offset));
  in_.read(to, static_cast<std::streamsize>(size));
  if (!in_) fail("the ELF file cannot be read");
}

std::vector<Elf64_Phdr> elf_file::segments() {
  return read<Elf64_Phdr>(header_.e_phoff, header_.e_phnum);
}

std::string elf_file::names_of_sections() {
  if (header_.e_shstrndx >= sections_.size()) fail("its sections have no names");
  return bytes_of(sections_[header_.e_shstrndx]);
}

std::string elf_file::bytes_of(const Elf64_Shdr& section) {
  const std::vector<char> bytes = read<char>(section.sh_offset, section.sh_size);
  return {bytes.begin(), bytes.end()};
}

std::string name_at(std::string_view names, std::uint64_t offset) {
  if (offset >= names.size()) return {};
  names.remove_prefix(offset);
  return std::string(names.substr(0, names.find('\0')));
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
