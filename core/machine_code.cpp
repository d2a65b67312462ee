#include "core/machine_code.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

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

}  // namespace syncmeter
