// How hwloc is asked for a machine: this one, one that a file or a description tells, or, where
// hwloc sees none at all, the PUs alone.
#include "core/machine/load_topology.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <set>
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/machine/topology.hpp"
#include "core/machine/trial.hpp"

namespace syncmeter {
namespace {

[[noreturn]] void fail(const std::string& what, int error) {
  throw std::runtime_error(fmt::format("hwloc: {}: {}", what, std::strerror(error)));
}

topology_owner new_topology() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) fail("cannot start", errno);
  return topology_owner(raw);
}

/// Disallowed PUs stay in the tree, so that what the machine has and what may be used can both be
/// said. Distances and memory attributes are neither used nor free to find.
void load(hwloc_topology_t t, const std::string& what, unsigned long more_flags = 0) {
  const unsigned long flags = HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED |
                              HWLOC_TOPOLOGY_FLAG_NO_DISTANCES | HWLOC_TOPOLOGY_FLAG_NO_MEMATTRS |
                              more_flags;
  if (hwloc_topology_set_flags(t, flags) != 0) fail("cannot set flags for " + what, errno);
  if (hwloc_topology_set_icache_types_filter(t, HWLOC_TYPE_FILTER_KEEP_NONE) != 0) {
    fail("cannot leave out instruction caches of " + what, errno);
  }
  // hwloc fails without a reason on some malformed descriptions.
  errno = 0;
  if (hwloc_topology_load(t) != 0) fail("cannot load " + what, errno != 0 ? errno : EINVAL);
}

/// hwloc takes a file's word for the number of a PU, also where another PU has it.
void check_pus(hwloc_topology_t t, const std::string& what) {
  const int pus = hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_PU);
  if (pus > static_cast<int>(most_pus)) refuse_pus(what, pus);
  std::set<unsigned> numbers;
  hwloc_obj_t pu = nullptr;
  while ((pu = hwloc_get_next_obj_by_type(t, HWLOC_OBJ_PU, pu)) != nullptr) {
    if (!numbers.insert(pu->os_index).second)
      throw std::runtime_error(
          fmt::format("hwloc: cannot load {}: two PUs have the os_index {}", what, pu->os_index));
    if (hwloc_bitmap_weight(pu->cpuset) != 1 || hwloc_bitmap_isset(pu->cpuset, pu->os_index) == 0)
      throw std::runtime_error(fmt::format(
          "hwloc: cannot load {}: the cpuset of PU {} is not that PU alone", what, pu->os_index));
  }
}

/// The PUs of the mask and nothing else, for an hwloc that sees no machine at all (HWLOC_COMPONENTS
/// may have taken away all that discovers one): lanes can be bound to PUs all the same.
topology_owner load_pus_alone(const std::vector<int>& mask) {
  topology_owner tree = new_topology();
  const std::string description =
      fmt::format("[numa(memory=0)] pu:{}(indexes={})", mask.size(), fmt::join(mask, ","));
  if (hwloc_topology_set_synthetic(tree.get(), description.c_str()) != 0)
    fail("cannot describe the PUs of this process's affinity mask", errno);
  load(tree.get(), "the PUs of this process's affinity mask", HWLOC_TOPOLOGY_FLAG_IS_THISSYSTEM);
  return tree;
}

}  // namespace

void refuse_pus(const std::string& what, double pus) {
  throw std::runtime_error(
      fmt::format("{} has {:.0f} PUs; at most {} can be used", what, pus, most_pus));
}

// What somebody wrote may crash hwloc: an XML object without complete_cpuset does.
topology_owner load_described(const std::string& what,
                              const std::function<int(hwloc_topology_t)>& describe) {
  const auto load_it = [&] {
    topology_owner tree = new_topology();
    if (describe(tree.get()) != 0) fail("cannot read " + what, errno);
    load(tree.get(), what);
    return tree;
  };
  if (const std::string why = failed_trial([&] { (void)load_it(); }); !why.empty())
    throw std::runtime_error(fmt::format("hwloc: cannot load {}: {}", what, why));
  topology_owner tree = load_it();
  check_pus(tree.get(), what);
  return tree;
}

topology_owner load_this_machine(const std::vector<int>& mask) {
  topology_owner tree = new_topology();
  try {
    load(tree.get(), "this machine");
    return tree;
  } catch (const std::runtime_error&) {
    // Who names a machine to hwloc must hear that it cannot be read.
    for (const char* const named : {"HWLOC_XMLFILE", "HWLOC_SYNTHETIC", "HWLOC_FSROOT"}) {
      if (std::getenv(named) != nullptr) throw;
    }
    return load_pus_alone(mask);
  }
}

}  // namespace syncmeter
