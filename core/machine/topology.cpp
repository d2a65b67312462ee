// Owns hwloc's view of a machine, lists the PUs of it that this process may use, and writes it as
// text for people.
#include "core/machine/topology.hpp"

#include <unistd.h>

#include <filesystem>
#include <iterator>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <hwloc.h>

#include "core/machine/load_topology.hpp"

namespace syncmeter {
namespace {

int index_above(hwloc_topology_t t, hwloc_obj_t pu, hwloc_obj_type_t type) {
  hwloc_obj* const found = hwloc_get_ancestor_obj_by_type(t, type, pu);
  return found == nullptr ? -1 : static_cast<int>(found->logical_index);
}

/// The NUMA node attached lowest above the PU; the first of them where there are several (DRAM and
/// HBM).
int nearest_numa(hwloc_obj_t pu) {
  for (hwloc_obj_t above = pu; above != nullptr; above = above->parent) {
    hwloc_obj_t memory = above->memory_first_child;
    while (memory != nullptr && memory->type != HWLOC_OBJ_NUMANODE) {
      memory = memory->memory_first_child;  // a memory-side cache
    }
    if (memory != nullptr) return static_cast<int>(memory->logical_index);
  }
  return -1;
}

int threads_before(hwloc_topology_t t, hwloc_obj_t core, hwloc_obj_t pu) {
  int before = 0;
  hwloc_obj_t other = nullptr;
  while ((other = hwloc_get_next_obj_inside_cpuset_by_type(t, core->cpuset, HWLOC_OBJ_PU, other)) !=
             nullptr &&
         other != pu) {
    ++before;
  }
  return before;
}

/// Kinds count only where hwloc ranks them: kinds that merely differ give no order to prefer.
int ranked_kinds(hwloc_topology_t t) {
  const int found = hwloc_cpukinds_get_nr(t, 0);
  for (int i = 0; i < found; ++i) {
    int efficiency = -1;
    if (hwloc_cpukinds_get_info(t, static_cast<unsigned>(i), nullptr, &efficiency, nullptr, nullptr,
                                0) != 0 ||
        efficiency < 0) {
      return 1;
    }
  }
  return found < 1 ? 1 : found;
}

/// "IntelAtom"; empty where hwloc does not say.
std::string core_type(hwloc_topology_t t, int kind) {
  unsigned infos = 0;
  hwloc_info_s* info = nullptr;
  if (hwloc_cpukinds_get_info(t, static_cast<unsigned>(kind), nullptr, nullptr, &infos, &info, 0) !=
      0) {
    return "";
  }
  for (unsigned i = 0; i < infos; ++i) {
    if (std::string_view(info[i].name) == "CoreType") return info[i].value;
  }
  return "";
}

bool finds_smt(hwloc_topology_t t) {
  hwloc_obj_t core = nullptr;
  while ((core = hwloc_get_next_obj_by_type(t, HWLOC_OBJ_CORE, core)) != nullptr) {
    if (hwloc_bitmap_weight(core->cpuset) > 1) return true;
  }
  return false;
}

unsigned data_line_bytes(hwloc_topology_t t) {
  hwloc_obj* const l1 = hwloc_get_next_obj_by_type(t, HWLOC_OBJ_L1CACHE, nullptr);
  if (l1 != nullptr && l1->attr->cache.linesize > 0) return l1->attr->cache.linesize;
#ifdef _SC_LEVEL1_DCACHE_LINESIZE
  if (const long bytes = sysconf(_SC_LEVEL1_DCACHE_LINESIZE); bytes > 0) {
    return static_cast<unsigned>(bytes);
  }
#endif
  return 64;
}

std::vector<processing_unit> usable_units(hwloc_topology_t t, hwloc_const_bitmap_t usable,
                                          int kinds) {
  std::vector<processing_unit> units;
  hwloc_obj_t pu = nullptr;
  while ((pu = hwloc_get_next_obj_by_type(t, HWLOC_OBJ_PU, pu)) != nullptr) {
    if (hwloc_bitmap_isset(usable, pu->os_index) == 0) continue;
    processing_unit unit;
    unit.os = static_cast<int>(pu->os_index);
    unit.core = index_above(t, pu, HWLOC_OBJ_CORE);
    unit.package = index_above(t, pu, HWLOC_OBJ_PACKAGE);
    unit.numa = nearest_numa(pu);
    unit.l2 = index_above(t, pu, HWLOC_OBJ_L2CACHE);
    unit.l3 = index_above(t, pu, HWLOC_OBJ_L3CACHE);
    if (hwloc_obj* const core = hwloc_get_ancestor_obj_by_type(t, HWLOC_OBJ_CORE, pu)) {
      unit.thread_in_core = threads_before(t, core, pu);
    }
    if (kinds > 1) {
      const int kind = hwloc_cpukinds_get_by_cpuset(t, pu->cpuset, 0);
      unit.kind = kind < 0 ? 0 : kind;
    }
    units.push_back(unit);
  }
  return units;
}

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

struct topology::state {
  topology_owner tree;
  std::vector<processing_unit> units;
  unsigned line_bytes = 64;
  int kinds = 1;
  bool smt = false;
  std::optional<busy_shares> busy{};

  /// `mask`: the OS numbers to keep, or nothing to keep all that the tree allows.
  state(topology_owner loaded, const std::optional<std::vector<int>>& mask)
      : tree(std::move(loaded)) {
    const bitmap_owner usable = new_bitmap();
    hwloc_bitmap_copy(usable.get(), hwloc_topology_get_allowed_cpuset(tree.get()));
    if (mask) {
      const bitmap_owner kept = new_bitmap();
      for (const int os : *mask) hwloc_bitmap_set(kept.get(), static_cast<unsigned>(os));
      hwloc_bitmap_and(usable.get(), usable.get(), kept.get());
    }
    kinds = ranked_kinds(tree.get());
    units = usable_units(tree.get(), usable.get(), kinds);
    line_bytes = data_line_bytes(tree.get());
    smt = finds_smt(tree.get());
  }
};

topology::topology(std::unique_ptr<state> s) : state_(std::move(s)) {}
topology::topology(topology&&) noexcept = default;
topology& topology::operator=(topology&&) noexcept = default;
topology::~topology() = default;

topology topology::of_this_machine() {
  const std::vector<int> mask = read_cpu_grant().allowed;
  topology_owner tree = load_this_machine(mask);
  if (hwloc_topology_is_thissystem(tree.get()) == 0) {
    throw std::runtime_error(
        "hwloc: the environment makes it describe another machine, on which no "
        "thread can be bound: unset HWLOC_XMLFILE, HWLOC_SYNTHETIC and "
        "HWLOC_FSROOT");
  }
  topology machine(std::make_unique<state>(std::move(tree), mask));
  if (machine.units().empty()) {
    throw std::runtime_error(fmt::format(
        "hwloc finds none of the CPUs in this process's affinity mask ({})", fmt::join(mask, ",")));
  }
  return machine;
}

topology topology::synthetic(const std::string& description) {
  const std::string what = fmt::format("the synthetic topology '{}'", description);
  // hwloc takes minutes for 20,000 of them, before they can be counted.
  if (const double pus = pus_described(description); pus > most_pus) refuse_pus(what, pus);
  return topology(std::make_unique<state>(load_described(what,
                                                         [&](hwloc_topology_t t) {
                                                           return hwloc_topology_set_synthetic(
                                                               t, description.c_str());
                                                         }),
                                          std::nullopt));
}

topology topology::from_xml(const std::string& path) {
  const std::string what = fmt::format("the topology file '{}'", path);
  std::error_code error;
  if (const auto found = std::filesystem::status(path, error);
      std::filesystem::exists(found) && !std::filesystem::is_regular_file(found))
    throw std::runtime_error(fmt::format("hwloc: cannot read {}: it is not a regular file", what));
  if (const std::string flaw = flaw_in_xml_file(path); !flaw.empty())
    throw std::runtime_error(fmt::format("hwloc: cannot load {}: {}", what, flaw));
  return topology(std::make_unique<state>(
      load_described(what,
                     [&](hwloc_topology_t t) { return hwloc_topology_set_xml(t, path.c_str()); }),
      std::nullopt));
}

std::span<const processing_unit> topology::units() const& { return state_->units; }
std::vector<int> topology::allowed_pus() const {
  std::vector<int> allowed;
  for (const processing_unit& unit : units()) allowed.push_back(unit.os);
  return allowed;
}

std::vector<int> topology::pus() const {
  std::vector<int> all;
  hwloc_obj_t pu = nullptr;
  while ((pu = hwloc_get_next_obj_by_type(state_->tree.get(), HWLOC_OBJ_PU, pu)) != nullptr)
    all.push_back(static_cast<int>(pu->os_index));
  return all;
}
bool topology::has_pu(int os) const {
  return os >= 0 && hwloc_bitmap_isset(hwloc_topology_get_complete_cpuset(state_->tree.get()),
                                       static_cast<unsigned>(os)) != 0;
}
bool topology::is_this_machine() const {
  return hwloc_topology_is_thissystem(state_->tree.get()) != 0;
}
unsigned topology::line_bytes() const { return state_->line_bytes; }
int topology::kinds() const { return state_->kinds; }
bool topology::has_smt() const { return state_->smt; }
bool topology::knows_cores() const {
  return hwloc_get_nbobjs_by_type(state_->tree.get(), HWLOC_OBJ_CORE) > 0;
}
std::string topology::kind_name(int kind) const {
  if (state_->kinds < 2) return "";
  const std::string name = core_type(state_->tree.get(), kind);
  if (name.empty()) return fmt::format("kind {}", kind);
  for (int other = 0; other < state_->kinds; ++other) {
    // Cores of one type that differ in their highest clock are kinds of their own.
    if (other != kind && core_type(state_->tree.get(), other) == name)
      return fmt::format("{} kind {}", name, kind);
  }
  return name;
}
void* topology::native() const { return state_->tree.get(); }

std::vector<int> topology::place(affinity policy, unsigned lanes) const {
  if (policy == affinity::quiet && state_->busy)
    return place_quietly(state_->units, *state_->busy, lanes);
  return place_on(state_->units, policy, lanes);
}
void topology::avoid(busy_shares busy) { state_->busy = std::move(busy); }
const std::optional<busy_shares>& topology::avoided() const { return state_->busy; }

std::uint64_t memory_bytes(hwloc_topology_t tree) {
  if (hwloc_topology_is_thissystem(tree) == 0) return hwloc_get_root_obj(tree)->total_memory;
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0
             ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page)
             : 0;
}

std::string topology::describe() const { return writer(*this).write(); }

}  // namespace syncmeter
