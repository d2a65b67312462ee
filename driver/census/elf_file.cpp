#include "driver/census/elf_file.hpp"

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

namespace syncmeter {

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

}  // namespace syncmeter
