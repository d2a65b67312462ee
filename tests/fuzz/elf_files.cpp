// A program whose functions the census looks for.
#include "driver/census/tools/elf_file.hpp"
#include "tests/fuzz/promise.hpp"
#include "tests/fuzz/targets.hpp"

namespace syncmeter::fuzz {

void elf_files(std::string_view input) {
  const memory_file program(input);
  (void)ends_or_throws<disassembly_error>([&] {
    const elf_symbols found = read_elf_symbols(program.path());
    promise(found.functions.size() <= input.size(), "more functions than bytes");
  });
  (void)ends_or_throws<disassembly_error>([&] {
    elf_file file(program.path());
    const std::string names = file.names_of_sections();
    for (const Elf64_Shdr& section : file.sections()) {
      promise(name_at(names, section.sh_name).size() <= names.size(), "a name of no name");
      promise(file.bytes_of(section).size() == section.sh_size, "a section cut short");
    }
  });
}

}  // namespace syncmeter::fuzz
