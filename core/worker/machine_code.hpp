// The machine code of a loop in this very process: its symbol, and a hash of its bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace syncmeter {

struct machine_code {
  std::string symbol;      ///< mangled
  std::uint64_t hash = 0;  ///< FNV-1a over its bytes
  std::size_t bytes = 0;
};

/// The function that starts at `address`, from the dynamic symbol table (link with -rdynamic);
/// nothing where it has no symbol. Calls are relative to where they stand, so that equal hashes
/// mean equal code for code without calls, and at worst two equal functions are not recognised as
/// such.
[[nodiscard]] std::optional<machine_code> machine_code_at(const void* address);

/// What the linker calls this program (the note NT_GNU_BUILD_ID): another one whenever any byte of
/// it is another, code for a device included. Empty where it was linked without --build-id.
[[nodiscard]] std::string linker_build_id();

/// FNV-1a, continued from `hash`.
[[nodiscard]] std::uint64_t fnv1a(const void* data, std::size_t size,
                                  std::uint64_t hash = 0xcbf29ce484222325U);

}  // namespace syncmeter
