// The positions of a point's cells: they move between rounds, and between a sample's launches.
#pragma once

#include <cstddef>
#include <cstdint>

namespace syncmeter::cuda {

/// The range and alignment of a point's cells.
inline constexpr std::size_t roaming_bytes = std::size_t{16} << 20U;
inline constexpr std::size_t cell_alignment = 512;

/// Knuth's MMIX generator. Its upper bits suffice to spread addresses.
[[nodiscard]] constexpr std::uint64_t next_draw(std::uint64_t last) {
  return last * 6364136223846793005U + 1442695040888963407U;
}

/// Returns an offset within the first `bytes`.
[[nodiscard]] constexpr std::size_t offset_of(std::uint64_t draw,
                                              std::size_t bytes = roaming_bytes) {
  return (draw >> 33U) % (bytes / cell_alignment) * cell_alignment;
}

/// The cell positions in an array for the launches of one sample, and each lane's ops there.
struct cell_places {
  static constexpr unsigned most = 16;
  unsigned count = 0;
  std::size_t offset[most]{};  ///< bytes from the array's start
  std::uint64_t ops[most]{};   ///< per lane
};

/// Returns the seed for a visit's places. It is the same in every campaign, for comparisons at the
/// same places. Campaigns then differ only by their memory.
[[nodiscard]] constexpr std::uint64_t first_draw(unsigned visit) {
  return next_draw(next_draw(visit));
}

/// The largest cells with several places in a sample.
inline constexpr std::size_t few_bytes = 4096;

/// Returns places for `count` launches, a power of two if several. They are at least few_bytes
/// apart, and differ in all combinations of some address bits within one device page. An address's
/// L2 half is the parity of some bits (on an H200 bits 12, 13, 15, 17 and 19 in each page). Except
/// for few draws, each half therefore has half the places.
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
