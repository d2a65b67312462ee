#include "probe/cuda_callers.hpp"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unwind.h>

#include <initializer_list>
#include <type_traits>

#include "probe/count.hpp"
#include "probe/elf_symbols.hpp"

namespace syncmeter::probe {
namespace {

/// A frame on the stack: where its call returns to, and where that address lies.
struct frame_of_call {
  std::uint64_t returns_to;
  const std::uint64_t* place;  // nullptr: not known
};
struct call_path {
  static constexpr unsigned most = 64;
  frame_of_call frames[most];
  unsigned count = 0;
};

// The unwinder of the compiler's library, which programs in C++ have loaded; the probe itself needs
// the C library alone.
struct unwinder {
  decltype(&_Unwind_Backtrace) walk = nullptr;
  decltype(&_Unwind_GetIP) address = nullptr;
  decltype(&_Unwind_GetCFA) stack = nullptr;
};

const unwinder& the_unwinder() {
  static constinit unwinder found{};
  static constinit bool looked = false;
  if (__atomic_load_n(&looked, __ATOMIC_ACQUIRE)) return found;
  void* const library = ::dlopen("libgcc_s.so.1", RTLD_LAZY);
  const auto find = [library](auto& function, const char* name) {
    function =
        library == nullptr
            ? nullptr
            : reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(library, name));
  };
  find(found.address, "_Unwind_GetIP");
  find(found.stack, "_Unwind_GetCFA");
  find(found.walk, "_Unwind_Backtrace");
  __atomic_store_n(&looked, true, __ATOMIC_RELEASE);
  return found;
}

_Unwind_Reason_Code add_frame(_Unwind_Context* context, void* to) {
  call_path& path = *static_cast<call_path*>(to);
  if (path.count == call_path::most) return _URC_END_OF_STACK;
  frame_of_call& frame = path.frames[path.count++];
  frame = {the_unwinder().address(context), nullptr};
#if defined(__x86_64__)
  // The call has pushed it last.
  const auto* const place =
      reinterpret_cast<const std::uint64_t*>(the_unwinder().stack(context)) - 1;
  if (*place == frame.returns_to) frame.place = place;
#endif
  return _URC_NO_REASON;
}

struct module_of_code {
  std::uint64_t address;
  std::uint64_t base = 0;
  const char* path = nullptr;
};

int is_in_module(dl_phdr_info* module, std::size_t, void* wanted) {
  auto& found = *static_cast<module_of_code*>(wanted);
  for (unsigned i = 0; i < module->dlpi_phnum; ++i) {
    const auto& part = module->dlpi_phdr[i];
    const std::uint64_t first = module->dlpi_addr + part.p_vaddr;
    if (part.p_type != PT_LOAD || found.address < first || found.address >= first + part.p_memsz)
      continue;
    found.base = module->dlpi_addr;
    found.path = module->dlpi_name;
    return 1;
  }
  return 0;
}

/// The module that a call returns into; the call may be its last instruction.
module_of_code module_of(std::uint64_t return_address) {
  module_of_code found{.address = return_address - 1};
  ::dl_iterate_phdr(is_in_module, &found);
  return found;
}

bool is_one_of(const module_of_code& module, std::initializer_list<const char*> libraries) {
  return module.path != nullptr && is_file_named(module.path, libraries);
}

/// Of a name as compilers mangle it, what follows the number of its characters.
const char* identifier_in(const char* name) {
  if (::strncmp(name, "_Z", 2) != 0) return name;
  name += name[2] == 'L' ? 3 : 2;
  while (*name >= '0' && *name <= '9') ++name;
  return name;
}

constexpr const char* stub_begin = "__device_stub_";

/// What nvcc puts between the program's call of a kernel and the runtime: the stub, the kernel's
/// own name around it, and functions of CUDA's headers.
class launch_functions {
 public:
  [[nodiscard]] bool has(const char* name) {
    const char* const identifier = identifier_in(name);
    if (::strncmp(identifier, stub_begin, ::strlen(stub_begin)) == 0) {
      // As of _Z20__device_stub__Z1kPiPi, the stub of _Z1kPi.
      const char* const mangled = identifier + ::strlen(stub_begin);
      ::strncpy(kernel_, mangled, sizeof kernel_ - 1);
      const auto length =
          static_cast<std::size_t>(::strtoul(name + 2 + (name[2] == 'L'), nullptr, 10));
      if (length > ::strlen(stub_begin) && length - ::strlen(stub_begin) < sizeof kernel_)
        kernel_[length - ::strlen(stub_begin)] = 0;
      return true;
    }
    if (*kernel_ != 0 && (::strcmp(name, kernel_) == 0 || ::strcmp(name, kernel_ + 1) == 0))
      return true;
    return ::strncmp(identifier, "cudaLaunch", 10) == 0 ||
           ::strncmp(identifier, "__cudaLaunch", 12) == 0;
  }

 private:
  char kernel_[2048] = {};
};

/// The name of the function that this call returns into, copied to `name`; whether there is one.
bool name_of(std::uint64_t return_address, char (&name)[2048]) {
  const module_of_code module = module_of(return_address);
  if (module.path == nullptr) return false;
  const mapped_file file(*module.path == 0 ? "/proc/self/exe" : module.path);
  const symbol_table table = symbols_of(file);
  const std::uint64_t at = module.address - module.base;
  for (std::uint64_t i = 0; i < table.count; ++i) {
    const Elf64_Sym& symbol = table.symbols[i];
    const char* const found = at >= symbol.st_value && at - symbol.st_value < symbol.st_size
                                  ? table.function_name(i)
                                  : nullptr;
    if (found == nullptr) continue;
    ::strncpy(name, found, sizeof name - 1);
    return true;
  }
  return false;
}

/// What calls the runtime, by the program's table of symbols; a program without one has its calls
/// in the stubs, one for each kernel.
unsigned skip_launch_functions(const call_path& path, unsigned at) {
  launch_functions functions;
  char name[2048] = {};
  for (; at + 1 < path.count; ++at)
    if (!name_of(path.frames[at].returns_to, name) || !functions.has(name)) break;
  return at;
}

frame_of_call find_caller(const cuda_call& call) {
  if (the_unwinder().walk == nullptr) return {};
  call_path path;
  the_unwinder().walk(add_frame, &path);
  unsigned at = 0;
  while (at < path.count &&
         is_one_of(module_of(path.frames[at].returns_to),
                   {"libsyncmeter-probe.", "libcupti.", "libsanitizer-", "libcuda."}))
    ++at;
  if (call.of_runtime) {
    // The runtime's function makes the callback itself, wherever the runtime is linked.
    ++at;
    while (at < path.count && is_one_of(module_of(path.frames[at].returns_to), {"libcudart."}))
      ++at;
    at = skip_launch_functions(path, at);
  }
  return at < path.count ? path.frames[at] : frame_of_call{};
}

/// How far above the callback's frame the address lies that the program's call returns to. Frames
/// between them are of CUDA alone, and are the same in each call: to look there takes a thousandth
/// of the time of walking the stack.
struct distance_of_caller {
  std::uint64_t address;  // the call's number
  std::int64_t bytes;     // 0: not known yet; -1: differs from call to call
};
constinit distance_of_caller distances[4096] = {};
/// Sites that were found by walking the stack, each with its call's number.
struct known_site {
  std::uint64_t address;
};
constinit known_site sites[8192] = {};

const void* number_of(std::uint64_t function, std::uint64_t site) {
  return reinterpret_cast<const void*>((function ^ (site << 17U | site >> 47U)) | 1U);
}

}  // namespace

std::uint64_t caller_of_cuda(const cuda_call& call, const void* frame) {
  distance_of_caller* const known =
      place_of(distances, reinterpret_cast<const void*>(call.function | 1U), true);
  const std::int64_t distance =
      known == nullptr ? -1 : __atomic_load_n(&known->bytes, __ATOMIC_ACQUIRE);
  const auto from = reinterpret_cast<std::uint64_t>(frame);
  if (distance > 0) {
    std::uint64_t there = 0;
    ::memcpy(&there, static_cast<const char*>(frame) + distance, sizeof there);
    if (place_of(sites, number_of(call.function, there), false) != nullptr) return there;
  }
  const frame_of_call caller = find_caller(call);
  if (known == nullptr || distance < 0 || caller.returns_to == 0) return caller.returns_to;
  const auto found = reinterpret_cast<std::uint64_t>(caller.place);
  const std::int64_t bytes = found > from ? static_cast<std::int64_t>(found - from) : -1;
  if (distance > 0 && bytes != distance) __atomic_store_n(&known->bytes, -1, __ATOMIC_RELEASE);
  if (distance > 0 && bytes != distance) return caller.returns_to;
  static_cast<void>(place_of(sites, number_of(call.function, caller.returns_to), true));
  __atomic_store_n(&known->bytes, bytes, __ATOMIC_RELEASE);
  return caller.returns_to;
}

}  // namespace syncmeter::probe
