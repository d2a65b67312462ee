// The objects of an op's own beside the cells of a CPU point: made before each sample, ended after
// it, laid out as the cells are.
#pragma once

#include <cstddef>

#include "core/cell_object.hpp"
#include "core/host/lane_memory.hpp"

namespace syncmeter {

/// Where the cells of a point lie: the objects follow them as far as their size lets them.
struct cell_spacing {
  std::size_t pitch = 0;   ///< bytes from one cell to the next
  std::size_t offset = 0;  ///< of the first from the start of a page
};

class cell_objects {
 public:
  cell_objects() = default;
  ~cell_objects() { clear(); }
  cell_objects(const cell_objects&) = delete;
  cell_objects& operator=(const cell_objects&) = delete;

  /// Makes `count` objects in place of those that there are; none of a kind without bytes. They lie
  /// as far apart as the cells, or next to each other where they are larger than that. Throws
  /// std::runtime_error without memory, and what a constructor throws.
  void make(const object_kind& kind, std::size_t count, sharers who, cell_spacing like);
  /// Ends them.
  void clear();
  /// Null where there are none.
  [[nodiscard]] void* at(std::size_t index) const;
  [[nodiscard]] std::size_t pitch() const { return pitch_; }

 private:
  object_kind kind_;
  std::size_t count_ = 0, pitch_ = 0, offset_ = 0, capacity_ = 0;
  lane_bytes memory_;
};

}  // namespace syncmeter
