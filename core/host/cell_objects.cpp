#include "core/host/cell_objects.hpp"

#include <algorithm>

namespace syncmeter {
namespace {

std::size_t rounded_up(std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; }

}  // namespace

void cell_objects::make(const object_kind& kind, std::size_t count, sharers who,
                        cell_spacing like) {
  clear();
  if (kind.bytes == 0) return;
  kind_ = kind;
  pitch_ = rounded_up(std::max(like.pitch, kind.bytes), kind.alignment);
  offset_ = rounded_up(like.offset, kind.alignment);
  const std::size_t needed = rounded_up(offset_ + count * pitch_, largest_alignment);
  if (needed > capacity_) {
    capacity_ = 0;
    memory_ = take_for_lanes(needed, largest_alignment, "objects");
    capacity_ = needed;
  }
  // Counted one by one: where a constructor throws, those before it are ended.
  while (count_ < count) {
    kind_.make(memory_.get() + offset_ + count_ * pitch_, who);
    ++count_;
  }
}

void cell_objects::clear() {
  while (count_ > 0) {
    --count_;
    kind_.destroy(memory_.get() + offset_ + count_ * pitch_);
  }
}

void* cell_objects::at(std::size_t index) const {
  return index < count_ ? memory_.get() + offset_ + index * pitch_ : nullptr;
}

}  // namespace syncmeter
