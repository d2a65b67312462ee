// The functions that a preloaded library stands in for.
#pragma once

#define SM_EXPORT extern "C" [[gnu::visibility("default"), gnu::noinline]]

namespace syncmeter::probe {

/// The function that the program would have called without the library; nullptr where there is
/// none.
[[nodiscard]] void* find_real(const char* name);

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
