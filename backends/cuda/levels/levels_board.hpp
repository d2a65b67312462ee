// Where software barriers of a grid have their counters and flags: words of kernel_setup::board,
// all zero before a launch. What different blocks write at once is on lines of its own, but for the
// flags of the lock-free one, which are side by side as published.
#pragma once

#include <cstddef>

namespace syncmeter::cuda::board {

inline constexpr unsigned words_per_line = 32;
inline constexpr unsigned counter = 0;
inline constexpr unsigned flag = words_per_line;
inline constexpr unsigned first_group = 2 * words_per_line;
inline constexpr unsigned most_groups = 256;
inline constexpr unsigned most_blocks = most_groups * most_groups;
inline constexpr unsigned first_flag = first_group + most_groups * words_per_line;

/// Of a grid's board.
[[nodiscard]] constexpr std::size_t bytes_for(unsigned blocks) {
  return (first_flag + 2 * std::size_t{blocks}) * sizeof(unsigned);
}

}  // namespace syncmeter::cuda::board
