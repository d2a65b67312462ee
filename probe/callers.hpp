// The function of the program that a call is of. Without optimization those of the standard
// library's headers are functions of the program as well, and all uses of std::mutex call
// pthread_mutex_lock() at one address: its callers tell them apart.
#pragma once

#include <cstdint>

namespace syncmeter::probe {

/// What a function with a frame pointer has on the stack.
struct stack_frame {
  const stack_frame* caller;
  std::uint64_t returns_to;
};

/// Finds the functions of the standard library's headers in a module by its table of symbols, once
/// for each module. Where it has none, or has those functions without frame pointers, as optimized
/// code has, there are none.
void find_header_functions(const char* path, std::uint64_t base, std::uint64_t first,
                           std::uint64_t end);

/// Where the outermost of those functions returns to that follow one another from the one to which
/// the function of this frame returns; where this is in none, there.
[[nodiscard]] std::uint64_t caller_of_headers(const stack_frame* frame);

}  // namespace syncmeter::probe
