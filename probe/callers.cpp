#include "probe/callers.hpp"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <initializer_list>

#include "probe/count.hpp"
#include "probe/elf_symbols.hpp"
#include "probe/kernel.hpp"

namespace syncmeter::probe {
namespace {

/// Of a function, as addresses in its file.
struct code_range {
  std::uint32_t first, bytes;
};
struct module_functions {
  std::uint64_t base, first, end;  // addresses of the code
  const code_range* functions;     // in order
  std::size_t count;
};
constinit module_functions modules[256] = {};
constinit unsigned module_count = 0;

/// A return address, and in its highest bit whether it is in a header.
constinit std::uint64_t known[256] = {};
constexpr std::uint64_t in_header_bit = std::uint64_t{1} << 63U;

bool is_of_header(const char* name) {
  for (const char* const begin : {"_ZNSt", "_ZNKSt", "_ZSt", "_ZZNSt", "_ZZSt", "__gthread_"})
    if (::strncmp(name, begin, ::strlen(begin)) == 0) return true;
  if (::strncmp(name, "_ZL", 3) != 0) return false;
  name += 3;
  while (*name >= '0' && *name <= '9') ++name;
  return ::strncmp(name, "__gthread_", 10) == 0;
}

/// Whether the function that begins here first saves the frame pointer of its caller and makes its
/// own, so that a call out of it finds both.
bool keeps_frame(std::uint64_t address, std::uint64_t end) {
#if defined(__x86_64__)
  static constexpr unsigned char marked[] = {0xF3, 0x0F, 0x1E, 0xFA};       // endbr64
  static constexpr unsigned char saves_frame[] = {0x55, 0x48, 0x89, 0xE5};  // push, mov
  if (address + sizeof marked + sizeof saves_frame > end) return false;
  const auto* code = reinterpret_cast<const unsigned char*>(address);
  if (::memcmp(code, marked, sizeof marked) == 0) code += sizeof marked;
  return ::memcmp(code, saves_frame, sizeof saves_frame) == 0;
#else
  static_cast<void>(address), static_cast<void>(end);
  return false;
#endif
}

const module_functions* module_of(std::uint64_t address) {
  for (unsigned m = 0; m < module_count; ++m)
    if (address >= modules[m].first && address < modules[m].end) return &modules[m];
  return nullptr;
}

bool search(const module_functions& of, std::uint64_t address) {
  const std::uint64_t in_file = address - of.base;
  const code_range* const behind =
      std::upper_bound(of.functions, of.functions + of.count, in_file,
                       [](std::uint64_t at, const code_range& range) { return at < range.first; });
  if (behind == of.functions) return false;
  const code_range& before = *(behind - 1);
  const std::uint64_t begin = of.base + before.first;
  return in_file - before.first < before.bytes && begin >= of.first && keeps_frame(begin, of.end);
}

/// Whether a call returns into a function of a header.
bool is_in_header(std::uint64_t return_address) {
  std::uint64_t& place = known[(return_address * 0x9E3779B97F4A7C15U) >> 56U];
  const std::uint64_t there = __atomic_load_n(&place, __ATOMIC_RELAXED);
  if ((there & ~in_header_bit) == return_address) return (there & in_header_bit) != 0;
  // The call may be the last instruction.
  const std::uint64_t address = return_address - 1;
  const module_functions* const of = module_of(address);
  if (of == nullptr) return false;
  const bool found = search(*of, address);
  __atomic_store_n(&place, return_address | (found ? in_header_bit : 0), __ATOMIC_RELAXED);
  return found;
}

// What was found readable of the stack that this thread was last seen on.
__thread std::uint64_t readable_first = 0, readable_end = 0;

/// Whether memory is readable from this frame, which is in use, up to the one that it names. The
/// kernel is asked by a call that does nothing: a bad address is an error of the call, no fault.
bool can_read(const stack_frame* from, const stack_frame* next) {
  constexpr std::uint64_t page = 4096, most = std::uint64_t{1} << 20U;
  const auto low = reinterpret_cast<std::uint64_t>(from);
  const auto high = reinterpret_cast<std::uint64_t>(next);
  if (high <= low || high - low > most || high % alignof(stack_frame) != 0) return false;
  if (low < readable_first || low >= readable_end) {
    readable_first = low / page * page;
    readable_end = readable_first + page;
  }
  for (; high + sizeof *next > readable_end; readable_end += page) {
    const int error = errno;
    constexpr int no_action = -1;
    const long refused = ::syscall(SYS_rt_sigprocmask, no_action, readable_end, nullptr, 8);
    const bool readable = refused == -1 && errno == EINVAL;
    errno = error;
    if (!readable) return false;
  }
  return true;
}

}  // namespace

void find_header_functions(const char* path, std::uint64_t base, std::uint64_t first,
                           std::uint64_t end) {
  for (unsigned m = 0; m < module_count; ++m)
    if (modules[m].first == first) return;
  if (module_count == sizeof modules / sizeof *modules) return;
  const mapped_file file(*path == 0 ? "/proc/self/exe" : path);
  const symbol_table table = symbols_of(file);
  const auto is_wanted = [&table](std::uint64_t i) {
    const char* const name = table.function_name(i);
    return name != nullptr && is_of_header(name);
  };
  std::size_t count = 0;
  for (std::uint64_t i = 0; i < table.count; ++i) count += is_wanted(i) ? 1 : 0;
  code_range* functions = nullptr;
  if (count > 0) {
    void* const memory =
        reinterpret_cast<void*>(kernel(SYS_mmap, nullptr, count * sizeof(code_range),
                                       PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (memory == MAP_FAILED) return;
    functions = static_cast<code_range*>(memory);
    code_range* next = functions;
    for (std::uint64_t i = 0; i < table.count; ++i)
      if (is_wanted(i))
        *next++ = {static_cast<std::uint32_t>(table.symbols[i].st_value),
                   static_cast<std::uint32_t>(table.symbols[i].st_size)};
    std::sort(functions, next, [](auto& a, auto& b) { return a.first < b.first; });
  }
  modules[module_count++] = {base, first, end, functions, count};
}

std::uint64_t caller_of_headers(const stack_frame* frame) {
  while (is_in_header(frame->returns_to) && can_read(frame, frame->caller)) frame = frame->caller;
  return frame->returns_to;
}

}  // namespace syncmeter::probe
