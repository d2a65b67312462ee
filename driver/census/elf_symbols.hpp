// Where the functions of an ELF program lie, and for which machine it was built: what the census
// must know before it asks objdump, which prints one of several names of an address and no sizes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "driver/census/elf_file.hpp"

namespace syncmeter {

/// sass: the machine code of NVIDIA GPUs, embedded in a host's program.
enum class machine : std::uint8_t { x86_64, aarch64, riscv64, sass, other };

/// The name of a machine's instruction set, as capability::declares spells it.
[[nodiscard]] std::string_view to_text(machine m);

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
