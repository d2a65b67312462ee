// Binds lanes to PUs and asks where they are.
#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <thread>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/machine/load_topology.hpp"
#include "core/machine/topology.hpp"

namespace syncmeter {
namespace {

/// Nothing, or why: hwloc "binds" without a word where the topology is another machine's.
std::optional<std::string> bind(hwloc_topology_t tree, hwloc_const_bitmap_t set, int flags) {
  if (hwloc_topology_is_thissystem(tree) == 0) return "the topology describes another machine";
  if (hwloc_set_cpubind(tree, set, flags) == 0) return std::nullopt;
  const int error = errno;
  if (error == EPERM || error == EACCES)
    return fmt::format("{}: forbidden by a sandbox (seccomp, a container's profile)",
                       std::strerror(error));
  return std::strerror(error);
}

/// What became of a PU that could be bound to before: the kernel says "invalid argument" only.
std::string why_binding_stopped(int os_pu) {
  const std::vector<int> offline = read_offline_pus();
  if (std::ranges::find(offline, os_pu) != offline.end()) return "; the PU is offline now";
  // Not the mask of this thread: of a lane that was bound before it is one PU.
  if (const auto cpuset = read_cpuset();
      cpuset && std::ranges::find(cpuset->pus, os_pu) == cpuset->pus.end()) {
    return fmt::format("; the cgroup no longer allows this PU (allowed by {}: {})", cpuset->source,
                       fmt::join(cpuset->pus, ","));
  }
  return "";
}

/// Whether the calling thread's mask is what `set` says.
bool has_mask(hwloc_topology_t tree, hwloc_const_bitmap_t set) {
  if (hwloc_topology_is_thissystem(tree) == 0) return false;
  const bitmap_owner now = new_bitmap();
  return hwloc_get_cpubind(tree, now.get(), HWLOC_CPUBIND_THREAD) == 0 &&
         hwloc_bitmap_isequal(now.get(), set) != 0;
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
    return refuse(*why + why_binding_stopped(os_pu));
  }
  return std::nullopt;
}

std::optional<std::string> why_not_bound(const topology& machine) {
  std::optional<std::string> why;
  // Of several PUs, one may be on its way out: that is no reason to give up on the others.
  std::thread([&] {
    for (const processing_unit& unit : machine.units()) {
      const auto refused = bind_this_thread(machine, unit.os);
      if (!refused) {
        why.reset();
        return;
      }
      if (!why) why = refused;
    }
  }).join();
  return why;
}

std::optional<std::string> unbind_this_thread(const topology& machine) {
  const bitmap_owner set = new_bitmap();
  for (const processing_unit& unit : machine.units()) {
    hwloc_bitmap_set(set.get(), static_cast<unsigned>(unit.os));
  }
  const auto tree = static_cast<hwloc_topology_t>(machine.native());
  const auto why = bind(tree, set.get(), HWLOC_CPUBIND_THREAD);
  if (!why || has_mask(tree, set.get())) return std::nullopt;
  return fmt::format("cannot restore this thread's affinity to its {} allowed PUs: {}",
                     machine.units().size(), *why);
}

int current_pu() { return sched_getcpu(); }

}  // namespace syncmeter
