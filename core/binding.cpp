// Binds lanes to PUs and asks where they are.
#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <sched.h>

#include "core/hwloc_handles.hpp"
#include "core/topology.hpp"

namespace syncmeter {
namespace {

/// Nothing, or why: hwloc "binds" without a word where the topology is another machine's.
std::optional<std::string> bind(hwloc_topology_t tree, hwloc_const_bitmap_t set, int flags) {
  if (hwloc_topology_is_thissystem(tree) == 0) return "the topology is not this machine's";
  if (hwloc_set_cpubind(tree, set, flags) != 0) return std::strerror(errno);
  return std::nullopt;
}

}  // namespace

std::optional<std::string> bind_this_thread(const topology& machine, int os_pu) {
  const auto refuse = [os_pu](const std::string& why) {
    return fmt::format("cannot bind this thread to PU {}: {}", os_pu, why);
  };
  const auto tree = static_cast<hwloc_topology_t>(machine.native());
  // hwloc would say "invalid argument" only.
  if (hwloc_bitmap_isset(hwloc_topology_get_complete_cpuset(tree), static_cast<unsigned>(os_pu)) ==
      0) {
    return refuse("the machine has no such PU");
  }
  const bitmap_owner set = new_bitmap();
  hwloc_bitmap_only(set.get(), static_cast<unsigned>(os_pu));
  if (const auto why = bind(tree, set.get(), HWLOC_CPUBIND_THREAD | HWLOC_CPUBIND_STRICT)) {
    return refuse(*why);
  }
  return std::nullopt;
}

std::optional<std::string> unbind_this_thread(const topology& machine) {
  const bitmap_owner set = new_bitmap();
  for (const processing_unit& unit : machine.units()) {
    hwloc_bitmap_set(set.get(), static_cast<unsigned>(unit.os));
  }
  const auto tree = static_cast<hwloc_topology_t>(machine.native());
  const auto why = bind(tree, set.get(), HWLOC_CPUBIND_THREAD);
  if (!why) return std::nullopt;
  return fmt::format("cannot give this thread its {} allowed PUs again: {}", machine.units().size(),
                     *why);
}

int current_pu() { return sched_getcpu(); }

}  // namespace syncmeter
