// How the lanes of a warp read memory.
#pragma once

#include <cstdint>

#include "core/op.hpp"

namespace syncmeter::cuda {

/// How the lanes of a warp lie on memory, and where they go at each step. Those up to `strided`
/// have the warps side by side, and step over all of them.
enum class pattern : std::uint8_t {
  coalesced,    ///< neighbouring lanes on neighbouring words: one line of 128 bytes
  permuted,     ///< the same line, its words in another order
  broadcast,    ///< one word of the line for all lanes
  misaligned,   ///< neighbouring words, from `size` bytes behind the start of a line
  strided,      ///< words `size` words apart
  random,       ///< words whose numbers are read from the coalesced ones
  row_walk,     ///< each lane along a row of a matrix of its own: neighbouring lanes a row apart
  column_walk,  ///< each lane down a column: neighbouring lanes on neighbouring columns
};

/// Where the words lie: in device memory that L2 does not hold, in memory that it does, or in the
/// banks of shared memory.
enum class words_in : std::uint8_t { device_memory, l2, banks };

/// op_info::kind of a load has both.
[[nodiscard]] constexpr std::uint8_t load_kind(pattern how, words_in where) {
  return static_cast<std::uint8_t>(static_cast<unsigned>(how) | static_cast<unsigned>(where) << 4U);
}
[[nodiscard]] constexpr pattern pattern_of(const op_info& info) {
  return static_cast<pattern>(info.kind & 15U);
}
[[nodiscard]] constexpr words_in words_of(const op_info& info) {
  return static_cast<words_in>(info.kind >> 4U);
}

}  // namespace syncmeter::cuda
