// A topology as text for people: one hwloc object a line, indented by depth.
#include <unistd.h>

#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <hwloc.h>

#include "core/machine/load_topology.hpp"
#include "core/machine/topology.hpp"

namespace syncmeter {
namespace {

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

/// "s" for all counts but one.
std::string counted(int count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

class writer {
 public:
  explicit writer(const topology& machine)
      : machine_(machine), tree_(static_cast<hwloc_topology_t>(machine.native())) {}

  [[nodiscard]] std::string write() {
    const auto count = [&](hwloc_obj_type_t type) { return hwloc_get_nbobjs_by_type(tree_, type); };
    text_ = fmt::format("Machine: {}, {}, {}, {}", counted(count(HWLOC_OBJ_PACKAGE), "package"),
                        counted(count(HWLOC_OBJ_NUMANODE), "NUMA node"),
                        counted(count(HWLOC_OBJ_CORE), "core"), counted(count(HWLOC_OBJ_PU), "PU"));
    if (const std::uint64_t bytes = memory_bytes(tree_); bytes > 0)
      text_ += ", " + bytes_text(bytes);
    text_ += '\n';
    children(hwloc_get_root_obj(tree_), 1);
    return std::move(text_);
  }

 private:
  void children(hwloc_obj_t parent, std::size_t depth) {
    for (hwloc_obj_t c = parent->memory_first_child; c != nullptr; c = c->next_sibling)
      line(c, depth);
    for (hwloc_obj_t c = parent->first_child; c != nullptr; c = c->next_sibling) line(c, depth);
  }

  void line(hwloc_obj_t object, std::size_t depth) {
    fmt::format_to(std::back_inserter(text_), "{:{}}{}", "", 2 * depth, object_name(object));
    if (hwloc_obj_type_is_cache(object->type) != 0 && object->attr->cache.linesize > 0) {
      fmt::format_to(std::back_inserter(text_), ", line {} B", object->attr->cache.linesize);
    }
    if (object->type == HWLOC_OBJ_PU) unit(static_cast<int>(object->os_index));
    text_ += '\n';
    children(object, depth + 1);
  }

  void unit(int os) {
    for (const processing_unit& u : machine_.units()) {
      if (u.os != os) continue;
      if (machine_.kinds() > 1) {
        fmt::format_to(std::back_inserter(text_), ", kind {} of 0..{}", u.kind,
                       machine_.kinds() - 1);
        const std::string name = machine_.kind_name(u.kind);
        if (!name.starts_with("kind ")) text_ += " (" + name + ")";
      }
      return;
    }
    text_ += " (not allowed)";
  }

  const topology& machine_;
  hwloc_topology_t tree_;
  std::string text_;
};

}  // namespace

std::uint64_t memory_bytes(hwloc_topology_t tree) {
  if (hwloc_topology_is_thissystem(tree) == 0) return hwloc_get_root_obj(tree)->total_memory;
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0
             ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page)
             : 0;
}

std::string topology::describe() const { return writer(*this).write(); }

}  // namespace syncmeter
