// How hwloc is asked for a machine, and what is looked at before: owners of what it allocates,
// numbers of PUs that no machine has, and a trial in a process of its own of what may crash or
// never end.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include <hwloc.h>

namespace syncmeter {

struct destroy_topology {
  void operator()(hwloc_topology_t t) const { hwloc_topology_destroy(t); }
};
using topology_owner = std::unique_ptr<struct hwloc_topology, destroy_topology>;

struct free_bitmap {
  void operator()(hwloc_bitmap_t b) const { hwloc_bitmap_free(b); }
};
using bitmap_owner = std::unique_ptr<struct hwloc_bitmap_s, free_bitmap>;

/// An empty bitmap. Throws std::bad_alloc.
[[nodiscard]] inline bitmap_owner new_bitmap() {
  bitmap_owner bitmap(hwloc_bitmap_alloc());
  if (!bitmap) throw std::bad_alloc();
  return bitmap;
}

/// This machine as hwloc sees it, or the PUs of `mask` alone where it sees none. Throws
/// std::runtime_error.
[[nodiscard]] topology_owner load_this_machine(const std::vector<int>& mask);

/// A machine that somebody wrote down; `describe` names it to hwloc and `what` to people. Throws
/// std::runtime_error where hwloc cannot load it, and where two PUs have one number.
[[nodiscard]] topology_owner load_described(const std::string& what,
                                            const std::function<int(hwloc_topology_t)>& describe);

/// Throws std::runtime_error: more than most_pus.
[[noreturn]] void refuse_pus(const std::string& what, double pus);

/// A PU or a NUMA node without a number, or with one that no machine has: hwloc takes half a
/// gigabyte for it. What is wrong; empty when nothing is.
[[nodiscard]] std::string flaw_in_indices(std::string_view xml);
/// The same of a file; empty also where it cannot be read, which hwloc says.
[[nodiscard]] std::string flaw_in_xml_file(const std::string& path);

/// Of "package:2 [numa] core:4 pu:2(indexes=..)" 16: the product of the numbers outside brackets.
[[nodiscard]] double pus_described(std::string_view description);

/// Runs `work` in a child process, which throws nothing away that this one has. Returns how the
/// child came to a bad end ("it crashed", "it took longer than 10 s"); empty when it did not, even
/// if `work` threw.
[[nodiscard]] std::string failed_trial(const std::function<void()>& work,
                                       std::chrono::seconds at_most = std::chrono::seconds{10});

/// The memory of a machine; 0 where it is not known. Of this one it is the kernel's own sum: hwloc
/// adds up what NUMA nodes say, and those of a virtual machine whose memory grew after its start
/// may say what it started with.
[[nodiscard]] std::uint64_t memory_bytes(hwloc_topology_t tree);

}  // namespace syncmeter
