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

/// What each visit's sequence of places begins with, the same in every campaign: so that points are
/// compared at the same places, and campaigns differ by them as little as their memory does.
[[nodiscard]] constexpr std::uint64_t first_draw(unsigned visit) {
  return next_draw(next_draw(visit));
}

/// Cells of this many bytes, and less, can have several places in a sample.
inline constexpr std::size_t few_bytes = 4096;

/// Places for `count` launches, a power of two where they are several. These are few_bytes apart or
/// more and differ in all combinations of some bits of the address, within one page of the device:
/// which half of L2 an address belongs to is the parity of some of its bits (on an H200 of bits 12,
/// 13, 15, 17 and 19 in each page), and of such places half belong to each, but for few draws.
[[nodiscard]] constexpr cell_places spread(std::uint64_t draw, unsigned count) {
  constexpr std::size_t page_places = (std::size_t{2} << 20U) / few_bytes;
  cell_places places;
  places.count = count;
  places.offset[0] = offset_of(draw);
  for (unsigned known = 1; known < count;) {
    draw = next_draw(draw);
    const std::size_t other = places.offset[0] ^ (draw >> 33U) % page_places * few_bytes;
    bool is_new = true;
    for (unsigned n = 0; n < known; ++n) is_new = is_new && places.offset[n] != other;
    if (!is_new) continue;
    for (unsigned n = 0; n < known; ++n)
      places.offset[known + n] = places.offset[n] ^ other ^ places.offset[0];
    known *= 2;
  }
  return places;
}

}  // namespace syncmeter::cuda
