#include "core/host/homed_pages.hpp"

#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>

#include "core/host/lane_memory.hpp"
#include "core/machine/load_topology.hpp"

namespace syncmeter {
homed_pages::homed_pages(const topology& machine, std::size_t bytes, int os_pu)
    : machine_{machine}, bytes_{bytes}, pu_{os_pu},
      data_{memory_of_lanes().take_pages(bytes, "mailboxes")} {
  std::string problem;
  std::thread toucher([&] {
    problem = bind_this_thread(machine_, pu_).value_or("");
    if (problem.empty()) std::memset(data_, 0, bytes_);
  });
  toucher.join();
  if (problem.empty()) return;
  memory_of_lanes().give_back_pages(data_, bytes_);
  throw std::runtime_error(problem);
}

homed_pages::~homed_pages() { memory_of_lanes().give_back_pages(data_, bytes_); }

std::optional<int> homed_pages::numa_node() const {
  const bitmap_owner nodes = new_bitmap();
  const auto tree = static_cast<hwloc_topology_t>(machine_.native());
  if (hwloc_get_area_memlocation(tree, data_, 1, nodes.get(), HWLOC_MEMBIND_BYNODESET) != 0)
    return std::nullopt;
  const int node = hwloc_bitmap_first(nodes.get());
  return node < 0 ? std::nullopt : std::optional(node);
}

}  // namespace syncmeter
