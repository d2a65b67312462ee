// An ELF file, read by hand: a few tables are all that is needed, and nm or readelf would be one
// more process whose text has to be parsed. Among them: where the functions of a program lie, and
// for which machine it was built.
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

/// A program that cannot be disassembled; the text names the file and says why.
struct disassembly_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class elf_file {
 public:
  /// Throws disassembly_error: not readable, not a 64-bit little-endian ELF file, or cut short.
  explicit elf_file(const std::string& path);

  /// Throws disassembly_error with the file's name and this reason.
  [[noreturn]] void fail(std::string_view why) const;

  /// EM_X86_64, EM_CUDA, ...
  [[nodiscard]] std::uint16_t machine() const { return header_.e_machine; }
  [[nodiscard]] const std::vector<Elf64_Shdr>& sections() const { return sections_; }
  /// The parts that are loaded when the program starts, and what else stands in the same table.
  [[nodiscard]] std::vector<Elf64_Phdr> segments();
  /// Where sh_name of each section points into, for name_at.
  [[nodiscard]] std::string names_of_sections();
  /// All of a section that is kept in the file.
  [[nodiscard]] std::string bytes_of(const Elf64_Shdr& section);

  /// `count` objects of type T at `offset` of the file.
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

/// The name that starts at `offset` of a section of names; empty beyond its end.
[[nodiscard]] std::string name_at(std::string_view names, std::uint64_t offset);

/// The code of one function: `size` bytes from virtual address `first`.
struct code_range {
  std::uint64_t first = 0;
  std::uint64_t size = 0;
  friend auto operator<=>(const code_range&, const code_range&) = default;
};

struct elf_symbols {
  enum machine machine = machine::other;
  std::map<std::string, code_range, std::less<>> functions;  ///< by linker name
};

/// Reads the defined functions of the static and the dynamic symbol table (either may be missing).
/// Throws disassembly_error: not readable, not a 64-bit little-endian ELF file, or cut short.
[[nodiscard]] elf_symbols read_elf_symbols(const std::string& path);

}  // namespace syncmeter
