// An auditor of the dynamic loader (LD_AUDIT), which sees each call from one file to a function
// of another one before the function runs: counts those of the program and of its libraries, but
// not those of runtimes, whose calls the probe does not count either. Writes "NAME CALLS" for each
// to the file that SYNCMETER_LOADER_COUNTS names.
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <initializer_list>

namespace {

uint64_t calls[4096];
const char* names[4096];

}  // namespace

extern "C" unsigned la_version(unsigned version) { return version; }

extern "C" unsigned la_objopen(link_map* file, Lmid_t, uintptr_t* cookie) {
  for (const char* runtime : {"libgomp.", "libomp.", "libomp5", "libsyncmeter-", "libc.so"})
    if (strstr(file->l_name, runtime) != nullptr) *cookie = 0;
  return LA_FLG_BINDFROM | LA_FLG_BINDTO;
}

extern "C" Elf64_Addr la_symbind64(Elf64_Sym* symbol, unsigned, uintptr_t*, uintptr_t*, unsigned*,
                                   const char*) {
  return symbol->st_value;
}

#if defined(__x86_64__)
extern "C" Elf64_Addr la_x86_64_gnu_pltenter(Elf64_Sym* symbol, unsigned number, uintptr_t* from,
                                             uintptr_t*, La_x86_64_regs*, unsigned*,
                                             const char* name, long*) {
#else
extern "C" Elf64_Addr la_aarch64_gnu_pltenter(Elf64_Sym* symbol, unsigned number, uintptr_t* from,
                                              uintptr_t*, La_aarch64_regs*, unsigned*,
                                              const char* name, long*) {
#endif
  // Numbered by the file that defines it: two files may have one number.
  if (*from != 0)
    for (unsigned at = number % 4096, tried = 0; tried < 4096; ++tried, at = (at + 1) % 4096) {
      const char* none = nullptr;
      if (__atomic_compare_exchange_n(&names[at], &none, name, false, __ATOMIC_RELAXED,
                                      __ATOMIC_RELAXED) ||
          none == name) {
        __atomic_fetch_add(&calls[at], 1, __ATOMIC_RELAXED);
        break;
      }
    }
  return symbol->st_value;
}

[[gnu::destructor]] static void write_down() {
  const char* const path = getenv("SYNCMETER_LOADER_COUNTS");
  FILE* const file = path == nullptr ? nullptr : fopen(path, "w");
  if (file == nullptr) return;
  for (unsigned i = 0; i < 4096; ++i)
    if (names[i] != nullptr) fprintf(file, "%s %lu\n", names[i], calls[i]);
  fclose(file);
}
