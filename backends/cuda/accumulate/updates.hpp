// What the lanes of a scatter-add add, and to which cells: for the lanes, and for the kernel that
// works out what the cells must hold.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/op.hpp"

namespace syncmeter::cuda {

#if defined(__CUDACC__)
#define SM_BOTH __host__ __device__
#else
#define SM_BOTH
#endif

/// How a float or a double is added to a cell that other threads add to.
enum class adding : std::uint8_t {
  atomic,         ///< atomicAdd
  cas,            ///< a loop around a compare-and-swap
  exchange,       ///< takes what is there, and puts back the sum, until nobody came between
  warp_match,     ///< the lanes of a warp with one address find each other, and one of them adds
  warp_reduce,    ///< one lane adds for a warp that has one address; each lane for any other
  block,          ///< to a copy in shared memory, which is then added to the cells
  block_reduce,   ///< as `block`, with one add to the copy for a warp that has one address
  fixed,          ///< as an integer of 64 bits
  block_by_bulk,  ///< as `block`, the copy added by cp.reduce.async.bulk
  integer,        ///< whole numbers, as integers of 32 bits
  block_integer,  ///< the same to a copy in shared memory
  block_match     ///< as `warp_match`, to a copy in shared memory
};

[[nodiscard]] constexpr bool has_copy(adding how) {
  return how == adding::block || how == adding::block_reduce || how == adding::block_by_bulk ||
         how == adding::block_integer || how == adding::block_match;
}
/// Cells are integers of 32 bits.
[[nodiscard]] SM_BOTH constexpr bool adds_integers(adding how) {
  return how == adding::integer || how == adding::block_integer;
}

/// What an op adds, and how: op_info::kind of the ops. Of doubles there are neither `fixed` nor
/// integers.
struct accumulation {
  adding how = adding::atomic;
  bool doubles = false;
};
inline constexpr std::uint8_t kind_of_doubles = 128;
[[nodiscard]] constexpr std::uint8_t to_kind(accumulation of) {
  return static_cast<std::uint8_t>(static_cast<unsigned>(of.how) +
                                   (of.doubles ? kind_of_doubles : 0U));
}
[[nodiscard]] constexpr accumulation from_kind(std::uint8_t kind) {
  return {static_cast<adding>(kind % kind_of_doubles), kind >= kind_of_doubles};
}
/// Bytes of a cell.
[[nodiscard]] constexpr std::size_t cell_size(accumulation of) {
  return of.doubles || of.how == adding::fixed ? 8 : 4;
}
/// Whether sums of a rounded set are rounded: a double holds more than the values have bits.
[[nodiscard]] constexpr bool rounds(accumulation of) {
  return !of.doubles && !adds_integers(of.how);
}

/// Adds of a lane in one op. What a form does once for an op (clear a copy and add it to the cells)
/// is shared out among them.
inline constexpr unsigned adds_of_op = 16;

/// Cells of the copy in shared memory at most: 16 KiB.
inline constexpr std::uint32_t most_cells_of_block = 4096;
inline constexpr std::uint32_t most_cells = std::uint32_t{1} << 24U;

/// Fractions of a cell that holds an integer: one of float32's below 1 is a whole number of them.
inline constexpr double parts_of_one = 4294967296.0;
/// Values of a rounded set are whole numbers of this part.
inline constexpr std::uint32_t parts_of_rounded = std::uint32_t{1} << 24U;

/// A power of two of cells, that lanes add to at random; as many as lanes or more: in each step
/// every lane has its own, neighbours side by side. Exact: values are odd integers of both signs,
/// whose sums a float holds as they are in any order, so that no add can be lost unseen. Rounded:
/// values from 0.5 to 1, whose sums are rounded.
struct update_set {
  std::uint32_t cells = 1;
  std::uint32_t lanes = 32;
  bool rounded = false;
};

/// The updates of one lane: a generator's state, and the value, whose sign changes with the state.
struct lane_updates {
  std::uint32_t state = 0, multiplier = 1, increment = 0;
  std::uint32_t parts = 1;      ///< the value without its sign: whole numbers, or 2^-24
  std::uint32_t sign_mask = 0;  ///< of a float; 0: all values are positive
};

/// The finalizer of MurmurHash3.
[[nodiscard]] SM_BOTH constexpr std::uint32_t scrambled(std::uint32_t x) {
  x = (x ^ (x >> 16U)) * 0x85ebca6bU;
  x = (x ^ (x >> 13U)) * 0xc2b2ae35U;
  return x ^ (x >> 16U);
}

[[nodiscard]] SM_BOTH constexpr lane_updates updates_of(std::uint32_t lane, const update_set& all) {
  const std::uint32_t drawn = scrambled(lane + 1);
  lane_updates of;
  if (all.cells >= all.lanes) {
    // Cell i begins at state i * of_cell. What each step adds besides changes the sign.
    const auto of_cell = static_cast<std::uint32_t>((std::uint64_t{1} << 32U) / all.cells);
    of.state = lane * of_cell;
    of.increment = all.lanes * of_cell + 1;
  } else {
    of.state = drawn;
    of.multiplier = 1664525;  // Numerical Recipes, "quick and dirty": the upper bits are good
    of.increment = 1013904223;
  }
  of.parts = all.rounded ? parts_of_rounded / 2 + (drawn & (parts_of_rounded / 2 - 1))
                         : 2 * (drawn & 63U) + 1;
  of.sign_mask = all.rounded ? 0 : std::uint32_t{1} << 31U;
  return of;
}

SM_BOTH constexpr void go_on(lane_updates& of) {
  of.state = of.state * of.multiplier + of.increment;
}
/// Which cell is next: the upper bits of the state.
[[nodiscard]] SM_BOTH constexpr std::uint32_t cell_of_update(const lane_updates& of,
                                                             std::uint32_t cells) {
  return static_cast<std::uint32_t>(std::uint64_t{of.state} * cells >> 32U);
}
/// The sign of a float, where it is in its bit pattern: of a bit that the cell does not depend on.
[[nodiscard]] SM_BOTH constexpr std::uint32_t sign_of_update(const lane_updates& of) {
  return (of.state << 23U) & of.sign_mask;
}
/// What is added next, in parts of the value, with its sign.
[[nodiscard]] SM_BOTH constexpr long long parts_of_update(const lane_updates& of) {
  return sign_of_update(of) != 0 ? -static_cast<long long>(of.parts) : of.parts;
}

/// What a cell must hold that is given so many parts.
[[nodiscard]] SM_BOTH constexpr double sum_of_parts(long long parts, bool rounded) {
  return static_cast<double>(parts) / (rounded ? parts_of_rounded : 1);
}
/// By how much a cell may differ from that: exact sets not at all, rounded ones by n additions of
/// values of one sign, in any order, each a relative error of 2^-24 (Higham, "Accuracy and
/// Stability of Numerical Algorithms", section 4.2), of which none is below 0.5.
[[nodiscard]] SM_BOTH constexpr double allowed_error(double sum, bool rounded) {
  return rounded ? sum * 0x1p-23 * sum : 0;
}

}  // namespace syncmeter::cuda
