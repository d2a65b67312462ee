// Owners of what hwloc allocates.
#pragma once

#include <memory>
#include <new>

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

}  // namespace syncmeter
