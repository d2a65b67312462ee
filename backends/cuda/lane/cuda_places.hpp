// Where the memory of a point lies: cells that move between rounds, and rings of pointers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backends/cuda/ops/walk.hpp"
#include "backends/cuda/runtime/cuda_device.hpp"

namespace syncmeter::cuda {

/// How far the cells of a point move between its rounds, and on what they lie.
inline constexpr std::size_t roaming_bytes = std::size_t{16} << 20U;
inline constexpr std::size_t cell_alignment = 512;

/// Knuth's MMIX generator; its upper bits are good enough to spread addresses.
[[nodiscard]] constexpr std::uint64_t next_draw(std::uint64_t last) {
  return last * 6364136223846793005U + 1442695040888963407U;
}

[[nodiscard]] constexpr std::size_t offset_of(std::uint64_t draw) {
  return (draw >> 33U) % (roaming_bytes / cell_alignment) * cell_alignment;
}

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
