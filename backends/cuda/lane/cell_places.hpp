// Where the cells of a point lie: they move between its rounds, and between the launches of a
// sample.
#pragma once

#include <cstddef>
#include <cstdint>

namespace syncmeter::cuda {

/// How far the cells of a point move, and on what they lie.
inline constexpr std::size_t roaming_bytes = std::size_t{16} << 20U;
inline constexpr std::size_t cell_alignment = 512;

/// Knuth's MMIX generator; its upper bits are good enough to spread addresses.
[[nodiscard]] constexpr std::uint64_t next_draw(std::uint64_t last) {
  return last * 6364136223846793005U + 1442695040888963407U;
}

/// Somewhere in the first `bytes`.
[[nodiscard]] constexpr std::size_t offset_of(std::uint64_t draw,
                                              std::size_t bytes = roaming_bytes) {
  return (draw >> 33U) % (bytes / cell_alignment) * cell_alignment;
}

/// Where the launches of one sample find their cells in an array, and what each lane did there.
struct cell_places {
  static constexpr unsigned most = 16;
  unsigned count = 0;
  std::size_t offset[most]{};  ///< bytes from the array's begin
  std::uint64_t ops[most]{};   ///< of each lane
};

/// Places for `count` launches. Several have a stretch of the memory each: cells of `bytes` bytes,
/// which then are few, never meet.
[[nodiscard]] constexpr cell_places spread(std::uint64_t draw, unsigned count, std::size_t bytes) {
  cell_places places;
  places.count = count;
  const std::size_t stretch = roaming_bytes / (count == 1 ? 1 : cell_places::most);
  const std::size_t room = count == 1 ? stretch : stretch - bytes;
  for (unsigned n = 0; n < count; ++n, draw = next_draw(draw ^ n))
    places.offset[n] = n * stretch + offset_of(draw, room);
  return places;
}

}  // namespace syncmeter::cuda
