#include "core/host/homed_pages.hpp"

#include <sys/mman.h>

#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>

#include <fmt/format.h>

#include "core/machine/hwloc_handles.hpp"

namespace syncmeter {
namespace {

// Not from malloc: its pages may have been touched already, by whichever thread had them before.
std::byte* fresh_pages(std::size_t bytes) {
  void* const memory =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    throw std::runtime_error(fmt::format("out of memory: {} bytes for mailboxes", bytes));
  return static_cast<std::byte*>(memory);
}

}  // namespace

homed_pages::homed_pages(const topology& machine, std::size_t bytes, int os_pu)
    : machine_{machine}, bytes_{bytes}, pu_{os_pu}, data_{fresh_pages(bytes)} {
  std::string problem;
  std::thread toucher([&] {
    problem = bind_this_thread(machine_, pu_).value_or("");
    if (problem.empty()) std::memset(data_, 0, bytes_);
  });
  toucher.join();
  if (problem.empty()) return;
  ::munmap(data_, bytes_);
  throw std::runtime_error(problem);
}

homed_pages::~homed_pages() { ::munmap(data_, bytes_); }

std::optional<int> homed_pages::numa_node() const {
  const bitmap_owner nodes = new_bitmap();
  const auto tree = static_cast<hwloc_topology_t>(machine_.native());
  if (hwloc_get_area_memlocation(tree, data_, 1, nodes.get(), HWLOC_MEMBIND_BYNODESET) != 0)
    return std::nullopt;
  const int node = hwloc_bitmap_first(nodes.get());
  return node < 0 ? std::nullopt : std::optional(node);
}

}  // namespace syncmeter
