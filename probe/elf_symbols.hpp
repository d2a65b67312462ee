// The functions of a program or library by name, as its table of symbols has them.
#pragma once

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <cstdint>

#include "probe/kernel.hpp"

namespace syncmeter::probe {

/// A file, mapped to be read.
class mapped_file {
 public:
  explicit mapped_file(const char* path) {
    const int fd = static_cast<int>(kernel(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0));
    if (fd < 0) return;
    const long end = kernel(SYS_lseek, fd, 0, SEEK_END);
    void* const mapped =
        end <= 0 ? nullptr
                 : map_memory(static_cast<std::uint64_t>(end), PROT_READ, MAP_PRIVATE, fd, 0);
    kernel(SYS_close, fd);
    if (mapped == nullptr) return;
    data_ = static_cast<const char*>(mapped);
    bytes_ = static_cast<std::uint64_t>(end);
  }
  mapped_file(const mapped_file&) = delete;
  mapped_file& operator=(const mapped_file&) = delete;
  ~mapped_file() {
    if (data_ != nullptr) kernel(SYS_munmap, data_, bytes_);
  }

  /// `count` of these that follow one another; nullptr where the file has not so many.
  template <class Type> const Type* at(std::uint64_t offset, std::uint64_t count) const {
    const bool inside = data_ != nullptr && offset % alignof(Type) == 0 && offset <= bytes_ &&
                        count <= (bytes_ - offset) / sizeof(Type);
    return inside ? reinterpret_cast<const Type*>(data_ + offset) : nullptr;
  }

 private:
  const char* data_ = nullptr;
  std::uint64_t bytes_ = 0;
};

struct symbol_table {
  const Elf64_Sym* symbols = nullptr;
  std::uint64_t count = 0;
  const char* names = nullptr;
  std::uint64_t name_bytes = 0;

  /// Of a function that the file defines; nullptr of all else.
  [[nodiscard]] const char* function_name(std::uint64_t i) const {
    const Elf64_Sym& symbol = symbols[i];
    const bool is_function = ELF64_ST_TYPE(symbol.st_info) == STT_FUNC &&
                             symbol.st_shndx != SHN_UNDEF && symbol.st_value <= UINT32_MAX &&
                             symbol.st_size <= UINT32_MAX && symbol.st_name < name_bytes;
    return is_function ? names + symbol.st_name : nullptr;
  }
};

[[nodiscard]] inline symbol_table symbols_of(const mapped_file& file) {
  const auto* const head = file.at<Elf64_Ehdr>(0, 1);
  if (head == nullptr || ::memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
      head->e_ident[EI_CLASS] != ELFCLASS64)
    return {};
  const auto* const sections = file.at<Elf64_Shdr>(head->e_shoff, head->e_shnum);
  if (sections == nullptr) return {};
  for (unsigned i = 0; i < head->e_shnum; ++i) {
    const Elf64_Shdr& section = sections[i];
    if (section.sh_type != SHT_SYMTAB || section.sh_link >= head->e_shnum) continue;
    const Elf64_Shdr& text = sections[section.sh_link];
    symbol_table table{.count = section.sh_size / sizeof(Elf64_Sym), .name_bytes = text.sh_size};
    table.symbols = file.at<Elf64_Sym>(section.sh_offset, table.count);
    table.names = file.at<char>(text.sh_offset, text.sh_size);
    if (table.symbols != nullptr && table.names != nullptr && table.name_bytes > 0 &&
        table.names[table.name_bytes - 1] == 0)
      return table;
  }
  return {};
}

}  // namespace syncmeter::probe
