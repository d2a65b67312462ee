// Rings of pointers that loads walk.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backends/cuda/ops/walk.hpp"
#include "backends/cuda/runtime/cuda_device.hpp"

namespace syncmeter::cuda {

/// A ring of pointers: how many, and how far apart.
struct ring_shape {
  std::size_t entries, pitch;
};

[[nodiscard]] inline ring_shape shape_of(walk kind, const device_facts& device) {
  constexpr std::size_t line = 128;
  if (kind == walk::l1) return {128, line};  // 16 KiB
  if (kind == walk::l2) return {512, line};
  std::size_t entries = 1;
  while (entries * line < 8 * device.l2_bytes) entries *= 2;
  return {entries, line};
}

}  // namespace syncmeter::cuda
