// Memory whose NUMA node is that of a chosen PU: the kernel places a page where it is first
// touched.
#pragma once

#include <cstddef>
#include <optional>

#include "core/machine/topology.hpp"

namespace syncmeter {

/// Fresh pages, first touched by a thread bound to one PU; all bytes are 0.
class homed_pages {
 public:
  /// Throws std::runtime_error when there is no memory or the PU cannot be used.
  homed_pages(const topology& machine, std::size_t bytes, int os_pu);
  ~homed_pages();
  homed_pages(const homed_pages&) = delete;
  homed_pages& operator=(const homed_pages&) = delete;

  [[nodiscard]] std::byte* data() const { return data_; }
  /// The NUMA node (by the operating system's number) that the first page is on, read back; nothing
  /// where the system does not say.
  [[nodiscard]] std::optional<int> numa_node() const;
  [[nodiscard]] int pu() const { return pu_; }

 private:
  const topology& machine_;
  std::size_t bytes_;
  int pu_;
  std::byte* data_;
};

}  // namespace syncmeter
