#include "core/worker/machine_code.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <string_view>

namespace syncmeter {

std::uint64_t fnv1a(const void* data, std::size_t size, std::uint64_t hash) {
  const auto* bytes = static_cast<const unsigned char*>(data);
  for (std::size_t i = 0; i < size; ++i) hash = (hash ^ bytes[i]) * 0x100000001b3U;
  return hash;
}

std::optional<machine_code> machine_code_at(const void* address) {
  Dl_info info{};
  void* entry = nullptr;
  if (address == nullptr || dladdr1(address, &info, &entry, RTLD_DL_SYMENT) == 0)
    return std::nullopt;
  const auto* symbol = static_cast<const ElfW(Sym)*>(entry);
  if (info.dli_sname == nullptr || info.dli_saddr != address || symbol == nullptr)
    return std::nullopt;
  return machine_code{info.dli_sname, fnv1a(address, symbol->st_size), symbol->st_size};
}

std::string linker_build_id() {
  std::string id;
  // The first object is the program itself.
  const auto read_notes = [](dl_phdr_info* object, std::size_t, void* found) {
    for (int i = 0; i < object->dlpi_phnum; ++i) {
      const ElfW(Phdr)& segment = object->dlpi_phdr[i];
      if (segment.p_type != PT_NOTE) continue;
      const auto align = [&](std::size_t n) {
        return segment.p_align == 8 ? (n + 7) & ~7UL : (n + 3) & ~3UL;
      };
      const char* at = reinterpret_cast<const char*>(object->dlpi_addr + segment.p_vaddr);
      const char* const end = at + segment.p_memsz;
      while (at + sizeof(ElfW(Nhdr)) <= end) {
        const auto& note = *reinterpret_cast<const ElfW(Nhdr)*>(at);
        const char* const name = at + sizeof note;
        const char* const description = name + align(note.n_namesz);
        if (note.n_type == NT_GNU_BUILD_ID &&
            std::string_view{name, note.n_namesz} == std::string_view{"GNU", 4})
          *static_cast<std::string*>(found) = {description, note.n_descsz};
        at = description + align(note.n_descsz);
      }
    }
    return 1;
  };
  dl_iterate_phdr(read_notes, &id);
  return id;
}

}  // namespace syncmeter
