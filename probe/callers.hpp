// The function of the program that a call is of. Without optimization those of the standard
// library's headers are functions of the program as well, and all uses of std::mutex call
// pthread_mutex_lock() at one address; and what std::thread and its like call is called by the
// standard library. Their callers tell them apart.
#pragma once

#include <cstdint>

#include "probe/unwind.hpp"

namespace syncmeter::probe {

/// What a function with a frame pointer has on the stack.
struct stack_frame {
  std::uint64_t caller_frame;
  std::uint64_t returns_to;
};

/// Of a wrapper that the program has called: its frame, and where the stack of its caller begins,
/// the canonical frame address. 0: not known.
struct call_frame {
  const stack_frame* record = nullptr;
  std::uint64_t cfa = 0;
};

/// Whose code a call is made from.
enum class code_of : std::uint8_t { program, header, library, kokkos, runtime };
/// What is known of the call that returns to this address, kept by each thread: a signal handler of
/// the thread may change it between two looks at it.
struct known_place {
  std::uint64_t return_address;
  unwind_step step;
  code_of whose;
  bool can_step;
};

/// What is known of a module's code at its first call.
struct module_code {
  const char* path;  ///< empty: the program
  std::uint64_t base, first, end;
  std::uint64_t unwind_table;  ///< PT_GNU_EH_FRAME; 0: none
};
/// Finds the functions of the standard library's headers in a module by its table of symbols, once
/// for each module. Where it has none there are none.
void note_code(const module_code& module);

/// Where the program called what called the wrapper: through functions of the standard library's
/// headers, and through libraries that call for others. Where a function on this way cannot be
/// followed, as its tables tell nothing, or none of the program is found behind a library, the last
/// place outside of libraries, or the library itself.
[[nodiscard]] std::uint64_t caller_in_program(const call_frame& wrapper);
/// The same through the functions of Kokkos, for what Kokkos tells of its kernels. The program's
/// code may be inlined into one that the runtime calls: then that one.
[[nodiscard]] std::uint64_t caller_of_kokkos(const call_frame& wrapper);

}  // namespace syncmeter::probe
