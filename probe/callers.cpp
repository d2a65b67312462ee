#include "probe/callers.hpp"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <initializer_list>

#include "probe/count.hpp"
#include "probe/elf_symbols.hpp"
#include "probe/kernel.hpp"
#include "probe/thread_memory.hpp"
#include "probe/unwind.hpp"

namespace syncmeter::probe {
namespace {

/// Of a function, as addresses in its file.
struct code_range {
  std::uint32_t first, bytes;
  code_of whose;
};
struct module_functions {
  std::uint64_t base, first, end;  // addresses of the code
  std::uint64_t unwind_table;
  code_of whose;                ///< where none of its functions is another's
  const code_range* functions;  // in order
  std::size_t count;
};
constinit module_functions modules[256] = {};
constinit unsigned module_count = 0;

/// Their functions are locks, threads and conditions by other names; the C library calls back by
/// pthread_once.
bool calls_for_others(const char* path) {
  return is_file_named(path, {"libstdc++.so", "libc++.so", "libboost_thread.so", "libuv.so",
                              "libglib-2.0.so", "libQt5Core.so", "libQt6Core.so", "libapr-1.so",
                              "libc.so", "libc-2.", "libpthread.so", "libpthread-2."});
}

bool begins_with(const char* text, const char* begin) {
  return ::strncmp(text, begin, ::strlen(begin)) == 0;
}

/// Rust's libraries are in the program itself.
bool is_library_of_rust(const char* crate) {
  return begins_with(crate, "3std") || begins_with(crate, "4core") || begins_with(crate, "5alloc");
}

const char* behind_disambiguator(const char* name) {
  if (*name != 's') return name;
  while (*name != 0 && *name != '_') ++name;
  return *name == 0 ? name : name + 1;
}

/// In a name of Rust's before RFC 2603.
bool is_path_in_library_of_rust(const char* path) {
  return begins_with(path, "std..") || begins_with(path, "core..") || begins_with(path, "alloc..");
}

/// Of "<TYPE as TRAIT>", behind "<": a program has functions for its own types by traits of the
/// library, and by its own traits for the library's types.
bool are_type_and_trait_of_rust(const char* type) {
  if (!is_path_in_library_of_rust(type)) return false;
  constexpr const char as[] = "$u20$as$u20$";
  unsigned depth = 0;
  for (const char* at = type; *at != 0; ++at) {
    if (begins_with(at, "$LT$")) ++depth;
    if (begins_with(at, "$GT$") && depth-- == 0) break;
    if (depth == 0 && begins_with(at, as)) return is_path_in_library_of_rust(at + sizeof as - 1);
  }
  return true;
}

/// The hash at the end of a name before RFC 2603, behind which LLVM may have written a number.
bool has_hash_of_rust(const char* name) {
  const char* const number = ::strstr(name, ".llvm.");
  const std::size_t bytes =
      number == nullptr ? ::strlen(name) : static_cast<std::size_t>(number - name);
  constexpr std::size_t hash_bytes = sizeof "17h0123456789abcdefE" - 1;
  return bytes > hash_bytes && begins_with(name + bytes - hash_bytes, "17h");
}

/// Rust's names of today (RFC 2603) begin with the path of what they name, whose root is the crate
/// that has it, and end with types and with the crate that made a copy. Those before look like
/// C++'s, and end with a hash.
bool is_of_rust(const char* name) {
  // Where a thread's own function begins, which is compiled into it.
  if (::strstr(name, "__rust_begin_short_backtrace") != nullptr) return false;
  if (begins_with(name, "_ZN") && has_hash_of_rust(name)) {
    name += 3;
    if (is_library_of_rust(name)) return true;
    while (*name >= '0' && *name <= '9') ++name;
    if (*name == '_') ++name;
    return begins_with(name, "$LT$") && are_type_and_trait_of_rust(name + 4);
  }
  if (!begins_with(name, "_R")) return false;
  name += 2;
  for (;;) switch (*name) {
    case 'I':  // with arguments of types
      ++name;
      break;
    case 'N':  // in a path, with its kind
      if (name[1] == 0) return false;
      name += 2;
      break;
    case 'M':  // of a type, and of a trait for a type
    case 'X':
      name = behind_disambiguator(name + 1);
      break;
    case 'C':
      return is_library_of_rust(behind_disambiguator(name + 1));
    default:
      return false;
    }
}

code_of whose_module(const char* path) {
  if (is_file_named(path, {"libkokkos"})) return code_of::kokkos;
  if (is_runtime(path)) return code_of::runtime;
  return calls_for_others(path) ? code_of::library : code_of::program;
}

code_of whose_function(const char* name) {
  if (is_of_rust(name)) return code_of::header;
  // A thread's own function, and what std::function and std::move_only_function call, are compiled
  // into these, of libstdc++ and libc++.
  for (const char* const begin :
       {"_ZNSt6thread11_State_impl", "_ZNSt17_Function_handler", "_ZNSt18move_only_function",
        "_ZNSt3__114__thread_proxy", "_ZNSt3__110__function6__func"})
    if (begins_with(name, begin)) return code_of::program;
  for (const char* const begin : {"_ZNSt", "_ZNKSt", "_ZSt", "_ZZNSt", "_ZZSt", "__gthread_"})
    if (begins_with(name, begin)) return code_of::header;
  for (const char* const begin : {"_ZN6Kokkos", "_ZNK6Kokkos", "_ZZN6Kokkos", "_ZZNK6Kokkos"})
    if (begins_with(name, begin)) return code_of::kokkos;
  if (!begins_with(name, "_ZL")) return code_of::program;
  name += 3;
  while (*name >= '0' && *name <= '9') ++name;
  return begins_with(name, "__gthread_") ? code_of::header : code_of::program;
}

const module_functions* module_of(std::uint64_t address) {
  for (unsigned m = 0; m < module_count; ++m)
    if (address >= modules[m].first && address < modules[m].end) return &modules[m];
  return nullptr;
}

code_of whose_code(const module_functions& of, std::uint64_t address) {
  const std::uint64_t in_file = address - of.base;
  const code_range* const behind =
      std::upper_bound(of.functions, of.functions + of.count, in_file,
                       [](std::uint64_t at, const code_range& range) { return at < range.first; });
  if (of.whose != code_of::program || behind == of.functions) return of.whose;
  const code_range& before = *(behind - 1);
  return in_file - before.first < before.bytes ? before.whose : code_of::program;
}

/// What is known of the call that returns there.
known_place place_at(std::uint64_t return_address) {
  constexpr unsigned places = sizeof thread_memory::known / sizeof(known_place);
  thread_memory* const memory = memory_of_thread();
  known_place* const kept =
      memory == nullptr
          ? nullptr
          : &memory->known[(return_address * 0x9E3779B97F4A7C15U) >> 32U & (places - 1)];
  if (kept != nullptr && kept->return_address == return_address) {
    const known_place found = *kept;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (found.return_address == return_address &&
        __atomic_load_n(&kept->return_address, __ATOMIC_RELAXED) == return_address)
      return found;
  }
  known_place found = {return_address, {}, code_of::program, false};
  // The call may be the last instruction.
  const std::uint64_t address = return_address - 1;
  const module_functions* const of = module_of(address);
  if (of == nullptr) return found;
  found.whose = whose_code(*of, address);
  if (found.whose != code_of::program)
    found.can_step = find_step(of->unwind_table, return_address, found.step);
  if (kept == nullptr) return found;
  __atomic_store_n(&kept->return_address, 0, __ATOMIC_RELAXED);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  kept->step = found.step;
  kept->whose = found.whose;
  kept->can_step = found.can_step;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  __atomic_store_n(&kept->return_address, return_address, __ATOMIC_RELAXED);
  return found;
}

// What was found readable of the stack that this thread was last seen on.
__thread std::uint64_t readable_first = 0, readable_end = 0;

/// Whether memory is readable from this place of the stack, which is in use, up to another. The
/// kernel is asked by a call that does nothing: a bad address is an error of the call, no fault.
bool can_read(std::uint64_t low, std::uint64_t end) {
  constexpr std::uint64_t page = 4096, most = std::uint64_t{1} << 20U;
  if (low == 0 || end <= low || end - low > most || end % alignof(std::uint64_t) != 0) return false;
  if (low < readable_first || low >= readable_end) {
    readable_first = low / page * page;
    readable_end = readable_first + page;
  }
  for (; end > readable_end; readable_end += page) {
    const int error = errno;
    constexpr int no_action = -1;
    const long refused = ::syscall(SYS_rt_sigprocmask, no_action, readable_end, nullptr, 8);
    const bool readable = refused == -1 && errno == EINVAL;
    errno = error;
    if (!readable) return false;
  }
  return true;
}

/// A function that has called another one.
struct caller {
  std::uint64_t return_address, stack, frame;

  /// Becomes its own caller.
  bool step(const unwind_step& by) {
    const std::uint64_t from = by.by_frame_pointer ? frame : stack;
    const auto below = [](std::uint64_t cfa, std::int32_t offset) {
      return *reinterpret_cast<const std::uint64_t*>(cfa - static_cast<std::uint64_t>(-offset));
    };
    const std::uint64_t cfa = from + static_cast<std::uint64_t>(by.cfa_offset);
    // The stack ends below its frame: where its end is not known, that is.
    const std::uint64_t low = stack != 0 ? stack : frame;
    if (from == 0 || !can_read(low, cfa)) return false;
    const auto lowest =
        static_cast<std::uint64_t>(-std::min(by.return_offset, by.saved_frame_offset));
    if (lowest > cfa - low) return false;
    return_address = without_signature(below(cfa, by.return_offset));
    if (by.saved_frame_offset != 0) frame = below(cfa, by.saved_frame_offset);
    stack = cfa;
    return true;
  }

 private:
  /// AArch64 may have signed it.
  static std::uint64_t without_signature(std::uint64_t address) {
#if defined(__aarch64__)
    register std::uint64_t link asm("x30") = address;
    asm("hint #7" : "+r"(link));  // xpaclri
    return link;
#else
    return address;
#endif
  }
};

}  // namespace

void note_code(const module_code& module) {
  for (unsigned m = 0; m < module_count; ++m)
    if (modules[m].first == module.first) return;
  if (module_count == sizeof modules / sizeof *modules) return;
  const mapped_file file(*module.path == 0 ? "/proc/self/exe" : module.path);
  const symbol_table table = symbols_of(file);
  const auto is_wanted = [&table](std::uint64_t i) {
    const char* const name = table.function_name(i);
    return name != nullptr && whose_function(name) != code_of::program;
  };
  std::size_t count = 0;
  for (std::uint64_t i = 0; i < table.count; ++i) count += is_wanted(i) ? 1 : 0;
  code_range* functions = nullptr;
  if (count > 0) {
    functions = static_cast<code_range*>(new_memory(count * sizeof(code_range)));
    if (functions == nullptr) return;
    code_range* next = functions;
    for (std::uint64_t i = 0; i < table.count; ++i)
      if (is_wanted(i))
        *next++ = {static_cast<std::uint32_t>(table.symbols[i].st_value),
                   static_cast<std::uint32_t>(table.symbols[i].st_size),
                   whose_function(table.function_name(i))};
    std::sort(functions, next, [](auto& a, auto& b) { return a.first < b.first; });
  }
  modules[module_count++] = {.base = module.base,
                             .first = module.first,
                             .end = module.end,
                             .unwind_table = module.unwind_table,
                             .whose = whose_module(module.path),
                             .functions = functions,
                             .count = count};
}

namespace {

std::uint64_t caller_through(const call_frame& wrapper, bool through_kokkos) {
  caller at{wrapper.record->returns_to, wrapper.cfa, wrapper.record->caller_frame};
  // A byte before it returns the call of a library is the same call, but no other row: calls that
  // return to a row's own address are of that row, whoever their caller is.
  std::uint64_t site = at.return_address - 1;
  constexpr unsigned most_steps = 32;
  for (unsigned steps = 0; steps < most_steps; ++steps) {
    const known_place place = place_at(at.return_address);
    if (place.whose == code_of::runtime && through_kokkos) return site;
    if (place.whose != code_of::library) site = at.return_address;
    const bool is_inside = place.whose == code_of::header || place.whose == code_of::library ||
                           (through_kokkos && place.whose == code_of::kokkos);
    if (!is_inside || !place.can_step || !at.step(place.step)) return site;
  }
  return site;
}

}  // namespace

std::uint64_t caller_in_program(const call_frame& wrapper) {
  return caller_through(wrapper, false);
}
std::uint64_t caller_of_kokkos(const call_frame& wrapper) { return caller_through(wrapper, true); }

}  // namespace syncmeter::probe
