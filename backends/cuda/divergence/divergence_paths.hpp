// What a lane does on each of 32 paths, and which path it takes: for the lanes, and for the host
// that works out what they must end with.
#pragma once

#include <cstdint>

namespace syncmeter::cuda {

/// The most that lanes of a warp can take.
inline constexpr unsigned most_paths = 32;

/// Where a lane's first path comes from.
enum class divergence : std::uint8_t { none, in_warp, across_warps };

/// A path is so many times x = (x * factor) ^ bits. With half of that ptxas does away with the last
/// branch: it has both paths' operations under a predicate.
inline constexpr unsigned rounds_of_path = 4;

/// Other constants on each path, so that no two paths' code can be merged, and no result of one is
/// that of another. Odd factors lose no bit of x.
[[nodiscard]] constexpr std::uint32_t factor_of(unsigned path, unsigned round) {
  return 0x9e3779b1U + 2 * (0x01000193U * path + 0x00010dcdU * round);
}
[[nodiscard]] constexpr std::uint32_t bits_of_path(unsigned path, unsigned round) {
  return 0x85ebca6bU ^ (path * 0x27d4eb2fU) ^ (round * 0x165667b1U);
}

/// What every lane starts with.
inline constexpr std::uint32_t first_word = 0x243f6a88U;

/// What is left of it after a number of ops that began on path `first` of `paths`: each op takes
/// the path behind the last one's.
[[nodiscard]] constexpr std::uint32_t word_after(std::uint64_t ops, unsigned first,
                                                 unsigned paths) {
  std::uint32_t x = first_word;
  for (std::uint64_t n = 0; n < ops; ++n) {
    const auto path = static_cast<unsigned>((first + n) % paths);
    for (unsigned round = 0; round < rounds_of_path; ++round)
      x = (x * factor_of(path, round)) ^ bits_of_path(path, round);
  }
  return x;
}

}  // namespace syncmeter::cuda
