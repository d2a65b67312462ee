// The functions that a preloaded library stands in for.
#pragma once

#include <cstdint>

#define SM_EXPORT extern "C" [[gnu::visibility("default"), gnu::noinline]]

namespace syncmeter::probe {

/// The function that the program would have called without the library; nullptr where there is
/// none.
[[nodiscard]] void* find_real(const char* name);

/// Machine code that lies together.
struct loaded_code {
  std::uint64_t first = 0, size = 0;
  [[nodiscard]] bool has(std::uint64_t address) const { return address - first < size; }
};
/// The part of a program or library that has this address; empty where none has.
[[nodiscard]] loaded_code code_around(const void* address);

/// Found at the first call, which may come before any constructor has run.
template <class Function> struct real_function {
  const char* name;
  Function* found = nullptr;
  [[nodiscard]] Function* get() {
    if (found == nullptr) [[unlikely]]
      found = reinterpret_cast<Function*>(find_real(name));
    return found;
  }
};

}  // namespace syncmeter::probe
