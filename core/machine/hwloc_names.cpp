#include "core/machine/hwloc_names.hpp"

#include <fmt/format.h>
#include <unistd.h>

namespace syncmeter {

std::string bytes_text(std::uint64_t bytes) {
  constexpr std::uint64_t kib = 1024, mib = kib * kib, gib = kib * mib;
  if (bytes >= gib)
    return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / static_cast<double>(gib));
  if (bytes >= mib)
    return fmt::format("{:.4g} MiB", static_cast<double>(bytes) / static_cast<double>(mib));
  return fmt::format("{:.4g} KiB", static_cast<double>(bytes) / static_cast<double>(kib));
}

std::string object_name(const hwloc_obj* object) {
  char type[64];
  hwloc_obj_type_snprintf(type, sizeof type, const_cast<hwloc_obj*>(object), 0);
  const bool is_cache = hwloc_obj_type_is_cache(object->type) != 0;
  std::string name = object->os_index == HWLOC_UNKNOWN_INDEX || is_cache
                         ? fmt::format("{} L#{}", type, object->logical_index)
                         : fmt::format("{} P#{}", type, object->os_index);
  if (is_cache && object->attr->cache.size > 0) name += ' ' + bytes_text(object->attr->cache.size);
  if (object->type == HWLOC_OBJ_NUMANODE && object->attr->numanode.local_memory > 0)
    name += ' ' + bytes_text(object->attr->numanode.local_memory);
  if (object->type == HWLOC_OBJ_PACKAGE) {
    const char* const model =
        hwloc_obj_get_info_by_name(const_cast<hwloc_obj*>(object), "CPUModel");
    if (model != nullptr && *model != '\0') name += fmt::format(" ({})", model);
  }
  return name;
}

std::uint64_t memory_bytes(hwloc_topology_t tree) {
  if (hwloc_topology_is_thissystem(tree) == 0) return hwloc_get_root_obj(tree)->total_memory;
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0
             ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page)
             : 0;
}

}  // namespace syncmeter
