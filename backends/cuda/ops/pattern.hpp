// How the lanes of a warp read memory.
#pragma once

#include <cstdint>

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

}  // namespace syncmeter::cuda
