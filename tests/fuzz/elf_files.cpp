// A program whose functions the census looks for.
#include "driver/census/elf_symbols.hpp"
#include "tests/fuzz/promise.hpp"
#include "tests/fuzz/targets.hpp"

namespace syncmeter::fuzz {

void elf_files(std::string_view input) {
  const memory_file program(input);
  (void)ends_or_throws<disassembly_error>([&] {
    const elf_symbols found = read_elf_symbols(program.path());
    promise(found.functions.size() <= input.size(), "more functions than bytes");
  });
}

}  // namespace syncmeter::fuzz
