// Binds lanes to PUs and asks where they are; finds the PUs near to a device.
#include <sched.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <thread>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/machine/load_topology.hpp"
#include "core/machine/read_file.hpp"
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
  if (std::ranges::find(offline, os_pu) != offline.end()) return "; the CPU is offline now";
  // Not the mask of this thread: of a lane that was bound before it is one PU.
  if (const auto cpuset = read_cpuset();
      cpuset && std::ranges::find(cpuset->pus, os_pu) == cpuset->pus.end()) {
    return fmt::format("; the cgroup no longer allows this CPU (allowed by {}: {})", cpuset->source,
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

std::optional<std::string> sysfs_line(const std::string& path) {
  std::istringstream file(read_file(path).bytes);
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  return line;
}

}  // namespace

std::optional<std::string> bind_this_thread(const topology& machine, int os_pu) {
  const auto refuse = [os_pu](const std::string& why) {
    return fmt::format("cannot bind this thread to CPU {}: {}", os_pu, why);
  };
  const auto tree = static_cast<hwloc_topology_t>(machine.native());
  // hwloc would say "invalid argument" only.
  if (hwloc_bitmap_isset(hwloc_topology_get_complete_cpuset(tree), static_cast<unsigned>(os_pu)) ==
      0) {
    return refuse("the machine has no such CPU");
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

device_neighbours neighbours_of(const std::string& bus_id, std::span<const int> allowed,
                                const std::string& root) {
  device_neighbours found;
  std::string name = bus_id;
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  const std::string folder = root + "/sys/bus/pci/devices/" + name;
  if (const auto node = sysfs_line(folder + "/numa_node")) {
    const auto number = parse_cpu_list(*node);  // "-1" is none
    if (number && number->size() == 1) found.numa_node = number->front();
  }
  const auto list = sysfs_line(folder + "/local_cpulist");
  const auto local = list ? parse_cpu_list(*list) : std::nullopt;
  if (!local || local->empty()) {
    found.problem = fmt::format("the system does not report which CPUs are near the "
                                "device: {}/local_cpulist is missing or empty",
                                folder);
    return found;
  }
  std::vector<int> all(allowed.begin(), allowed.end());
  std::ranges::sort(all);
  std::ranges::copy_if(all, std::back_inserter(found.near),
                       [&](int pu) { return std::ranges::find(*local, pu) != local->end(); });
  std::ranges::set_difference(all, found.near, std::back_inserter(found.far));
  if (found.far.empty()) {
    found.problem = "all allowed CPUs are equally near the device: the system reports "
                    "one NUMA node";
  } else if (found.near.empty()) {
    found.problem = "none of the allowed CPUs is near the device";
  }
  return found;
}

std::vector<int> pus_for(home where, const device_neighbours& device) {
  if (where == home::none) return {};
  if (where == home::second)
    throw std::invalid_argument(
        "--home second applies to the mailboxes of a handoff; for a launching thread use first "
        "(near the device) or other (far from it)");
  const std::vector<int>& pus = where == home::first ? device.near : device.far;
  if (!device.problem.empty())
    throw std::invalid_argument(fmt::format("--home {}: {}", to_text(where), device.problem));
  return pus;
}

}  // namespace syncmeter
