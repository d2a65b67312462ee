#include "probe/real_function.hpp"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include <initializer_list>

#include "probe/kernel.hpp"

namespace syncmeter::probe {

void* find_real(const char* name) {
  const no_cancellation postponed;
  // Of a function with several versions, the one that programs are linked with today.
  static constexpr const char* version =
#if defined(__x86_64__)
      "GLIBC_2.3.2";
#else
      "GLIBC_2.17";
#endif
  if (::strncmp(name, "pthread_cond_", 13) == 0)
    if (void* const found = ::dlvsym(RTLD_NEXT, name, version); found != nullptr) return found;
  if (void* const found = ::dlsym(RTLD_NEXT, name); found != nullptr) return found;
  // A runtime that came with a library loaded later is not among those that follow us.
  for (const char* runtime : {"libgomp.so.1", "libomp.so.5", "libomp.so", "libiomp5.so"}) {
    void* const loaded = ::dlopen(runtime, RTLD_LAZY | RTLD_NOLOAD);
    void* const found = loaded == nullptr ? nullptr : ::dlsym(loaded, name);
    if (found != nullptr) return found;
  }
  return nullptr;
}

loaded_code code_around(const void* address) {
  const no_cancellation postponed;
  struct search {
    std::uint64_t address;
    loaded_code found;
  } of{reinterpret_cast<std::uint64_t>(address), {}};
  ::dl_iterate_phdr(
      [](dl_phdr_info* module, std::size_t, void* wanted) {
        auto& looked_for = *static_cast<search*>(wanted);
        for (unsigned i = 0; i < module->dlpi_phnum; ++i) {
          const auto& part = module->dlpi_phdr[i];
          const loaded_code code{module->dlpi_addr + part.p_vaddr, part.p_memsz};
          if (part.p_type == PT_LOAD && code.has(looked_for.address)) looked_for.found = code;
        }
        return looked_for.found.size == 0 ? 0 : 1;
      },
      &of);
  return of.found;
}

}  // namespace syncmeter::probe
