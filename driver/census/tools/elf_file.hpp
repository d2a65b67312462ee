// Reads ELF files directly, because the census needs only a few tables, and nm or readelf would add
// a process and a text parser. Finds a program's functions and machine.
#pragma once

#include <elf.h>

#include <cstdint>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "driver/census/isa/instruction_class.hpp"

namespace syncmeter {

/// Error for a program that cannot be disassembled. The text has the file and the reason.
struct disassembly_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class elf_file {
 public:
  /// Throws disassembly_error if the file is unreadable, not 64-bit little-endian ELF, or cut
  /// short.
  explicit elf_file(const std::string& path);

  /// Throws disassembly_error with the file's name and the reason.
  [[noreturn]] void fail(std::string_view why) const;

  /// Returns EM_X86_64, EM_CUDA, ...
  [[nodiscard]] std::uint16_t machine() const { return header_.e_machine; }
  [[nodiscard]] const std::vector<Elf64_Shdr>& sections() const { return sections_; }
  /// Returns the program headers: loaded segments and all other entries.
  [[nodiscard]] std::vector<Elf64_Phdr> segments();
  /// Returns the string table for sh_name, to use with name_at.
  [[nodiscard]] std::string names_of_sections();
  /// Returns a section's bytes from the file.
  [[nodiscard]] std::string bytes_of(const Elf64_Shdr& section);

  /// Returns `count` objects of type T at `offset` in the file.
  template <class T> [[nodiscard]] std::vector<T> read(std::uint64_t offset, std::uint64_t count) {
    if (offset > size_ || count > (size_ - offset) / sizeof(T)) fail("the ELF file is cut short");
    std::vector<T> values(count);
    read_into(reinterpret_cast<char*>(values.data()), offset, count * sizeof(T));
    return values;
  }

 private:
  void read_into(char* to, std::uint64_t offset, std::uint64_t size);

  std::string path_;
  std::ifstream in_;
  std::uint64_t size_ = 0;
  Elf64_Ehdr header_{};
  std::vector<Elf64_Shdr> sections_;
};

/// Returns the name at `offset` in a section of names, or an empty text beyond its end.
[[nodiscard]] std::string name_at(std::string_view names, std::uint64_t offset);

/// Code of a function: `size` bytes from virtual address `first`.
struct code_range {
  std::uint64_t first = 0;
  std::uint64_t size = 0;
  friend auto operator<=>(const code_range&, const code_range&) = default;
};

struct elf_symbols {
  enum machine machine = machine::other;
  std::map<std::string, code_range, std::less<>> functions;  ///< by linker name
};

/// Reads the defined functions from the static and dynamic symbol tables, either of which may be
/// missing. Throws disassembly_error if the file is unreadable, not 64-bit little-endian ELF, or
/// cut short.
[[nodiscard]] elf_symbols read_elf_symbols(const std::string& path);

}  // namespace syncmeter
