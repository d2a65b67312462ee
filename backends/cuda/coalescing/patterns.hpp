// The lanes' access patterns and addresses in memory: for the lanes, and for the kernel that
// computes the expected sums.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backends/cuda/lane/cuda_setup.hpp"
#include "core/op.hpp"

namespace syncmeter::cuda {

/// The lanes' addresses and their steps. Up to `strided`, warps are side by side, and step over all
/// of them.
enum class pattern : std::uint8_t {
  coalesced,    ///< neighbouring lanes read neighbouring words: one line of 128 bytes
  permuted,     ///< the same line, in permuted order
  broadcast,    ///< one word for all lanes
  misaligned,   ///< neighbouring words, `size` bytes behind a line's start
  strided,      ///< words `size` words apart
  random,       ///< words with numbers from the coalesced words
  row_walk,     ///< each lane along its own matrix row: neighbouring lanes a row apart
  column_walk,  ///< each lane down a column: neighbouring lanes on neighbouring columns
};

/// The memory of the words: device memory outside L2, memory cached in L2, or banks of shared
/// memory.
enum class words_in : std::uint8_t { device_memory, l2, banks };

/// Encodes both in a load's op_info::kind.
[[nodiscard]] constexpr std::uint8_t load_kind(pattern how, words_in where) {
  return static_cast<std::uint8_t>(static_cast<unsigned>(how) | static_cast<unsigned>(where) << 4U);
}
[[nodiscard]] constexpr pattern pattern_of(const op_info& info) {
  return static_cast<pattern>(info.kind & 15U);
}
[[nodiscard]] constexpr words_in words_of(const op_info& info) {
  return static_cast<words_in>(info.kind >> 4U);
}

/// The words to read: a power of two of bytes.
struct working_set {
  std::size_t bytes = 0;       ///< size of the working set
  unsigned lanes = warp_size;  ///< in the launch
  unsigned size = 0;           ///< point::size
};

/// A lane's byte offset in the working set, and its step, both modulo the size.
struct lane_offsets {
  std::uint32_t first = 0, step = 0;
};

#if defined(__CUDACC__)
#define SM_BOTH __host__ __device__
#else
#define SM_BOTH
#endif

inline constexpr unsigned word_bytes = 4;
inline constexpr unsigned line_bytes = 128;

/// Returns the bytes of a matrix row. The matrix is square, or has twice as many columns as rows.
[[nodiscard]] SM_BOTH constexpr std::uint64_t row_bytes_of(std::uint64_t bytes) {
  std::uint64_t columns = 1;
  while (columns * columns < bytes / word_bytes) columns *= 2;
  return columns * word_bytes;
}

[[nodiscard]] SM_BOTH constexpr lane_offsets offsets_of(pattern how, unsigned lane,
                                                        const working_set& r) {
  const std::uint64_t all = r.bytes, in_warp = lane % warp_size, warp = lane / warp_size;
  const std::uint64_t row = row_bytes_of(all), rows = all / row;
  std::uint64_t tile = line_bytes, first = 0, step = 0;
  switch (how) {
  case pattern::coalesced:
  case pattern::random:
    first = in_warp * word_bytes;
    break;
  case pattern::permuted:
    first = (in_warp * 11 + 7) % warp_size * word_bytes;
    break;
  case pattern::broadcast:
    break;
  case pattern::misaligned:
    first = in_warp * word_bytes + r.size;
    break;
  case pattern::strided:
    tile *= r.size;
    first = in_warp * r.size * word_bytes;
    break;
  case pattern::row_walk:
    // More lanes than rows: further lanes begin further along their row, to avoid equal words for a
    // long time.
    first = lane % rows * row + lane / rows * (row / line_bytes);
    step = word_bytes;
    break;
  case pattern::column_walk: {
    const std::uint64_t columns = row / word_bytes, turns = (r.lanes + columns - 1) / columns;
    first = lane % columns * word_bytes + lane / columns * (rows / turns) * row;
    step = row;
    break;
  }
  }
  if (step == 0) {
    first += warp * tile;
    step = r.lanes / warp_size * tile;
  }
  return {static_cast<std::uint32_t>(first & (all - 1)),
          static_cast<std::uint32_t>(step & (all - 1))};
}

/// Returns word number `index`: the finalizer of MurmurHash3, with bits as good as random ones.
/// Also the next address in the random pattern.
[[nodiscard]] SM_BOTH constexpr std::uint32_t word_at(std::uint32_t index) {
  std::uint32_t x = index;
  x = (x ^ (x >> 16U)) * 0x85ebca6bU;
  x = (x ^ (x >> 13U)) * 0xc2b2ae35U;
  return x ^ (x >> 16U);
}

/// Returns a lane's byte offset if a warp's lanes use `ways` words per bank. Every step moves to
/// the next word, and thereby to the next bank.
inline constexpr unsigned bank_bytes = warp_size * warp_size * word_bytes;
[[nodiscard]] SM_BOTH constexpr std::uint32_t bank_offset_of(unsigned lane, unsigned ways) {
  const unsigned in_warp = lane % warp_size;
  return (in_warp / ways + in_warp % ways * warp_size) * word_bytes;
}

}  // namespace syncmeter::cuda
