// A lane's operations on each of 32 paths, and its choice of a path: for the lanes, and for the
// host that computes the expected results.
#pragma once

#include <cstdint>

namespace syncmeter::cuda {

/// The largest number of paths in a warp.
inline constexpr unsigned most_paths = 32;

/// The source of a lane's first path.
enum class divergence : std::uint8_t { none, in_warp, across_warps };

/// Rounds in a path, each x = (x * factor) ^ bits. With half the rounds ptxas removes the last
/// branch and predicates both paths' operations.
inline constexpr unsigned rounds_of_path = 4;

/// Return different constants for each path, to prevent merged code and equal results. Odd factors
/// lose no bit.
[[nodiscard]] constexpr std::uint32_t factor_of(unsigned path, unsigned round) {
  return 0x9e3779b1U + 2 * (0x01000193U * path + 0x00010dcdU * round);
}
[[nodiscard]] constexpr std::uint32_t bits_of_path(unsigned path, unsigned round) {
  return 0x85ebca6bU ^ (path * 0x27d4eb2fU) ^ (round * 0x165667b1U);
}

/// Every lane's initial word.
inline constexpr std::uint32_t first_word = 0x243f6a88U;

/// Returns the word after `ops` ops from path `first` among `paths`. Each op follows the next path.
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
