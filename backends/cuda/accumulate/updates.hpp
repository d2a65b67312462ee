// The lanes' values and cells in a scatter-add: for the lanes, and for the kernel that computes the
// expected sums.
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

/// Ways to add a float or a double to a cell shared with other threads.
enum class adding : std::uint8_t {
  atomic,         ///< atomicAdd
  cas,            ///< a loop around a compare-and-swap
  exchange,       ///< removes the value and puts back the sum, until no thread interferes
  warp_match,     ///< lanes of a warp with one address combine, and one lane adds
  warp_reduce,    ///< one lane adds for a warp with one address, else each lane adds
  block,          ///< to a copy in shared memory, then from the copy to the cells
  block_reduce,   ///< like `block`, with one add to the copy for a warp with one address
  fixed,          ///< as a 64-bit integer
  block_by_bulk,  ///< like `block`, with the copy added by cp.reduce.async.bulk
  integer,        ///< whole numbers, as 32-bit integers
  block_integer,  ///< like `integer`, to a copy in shared memory
  block_match     ///< like `warp_match`, to a copy in shared memory
};

[[nodiscard]] constexpr bool has_copy(adding how) {
  return how == adding::block || how == adding::block_reduce || how == adding::block_by_bulk ||
         how == adding::block_integer || how == adding::block_match;
}
/// Returns true if cells are 32-bit integers.
[[nodiscard]] SM_BOTH constexpr bool adds_integers(adding how) {
  return how == adding::integer || how == adding::block_integer;
}

/// An op's value type and its way to add: op_info::kind. Doubles have neither `fixed` nor integers.
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
/// Returns a cell's bytes.
[[nodiscard]] constexpr std::size_t cell_size(accumulation of) {
  return of.doubles || of.how == adding::fixed ? 8 : 4;
}
/// Returns true if sums of a rounded set are rounded: a double has enough bits for exact sums.
[[nodiscard]] constexpr bool rounds(accumulation of) {
  return !of.doubles && !adds_integers(of.how);
}

/// A lane's adds in one op. They share a form's work done once per op (clearing a copy and adding
/// it to the cells).
inline constexpr unsigned adds_of_op = 16;

/// The largest copy in shared memory, in cells: 16 KiB.
inline constexpr std::uint32_t most_cells_of_block = 4096;
inline constexpr std::uint32_t most_cells = std::uint32_t{1} << 24U;

/// The parts of 1 in an integer cell: each float32 value below 1 is a whole number of parts.
inline constexpr double parts_of_one = 4294967296.0;
/// The parts of 1 in a rounded set, whose values are whole numbers of parts.
inline constexpr std::uint32_t parts_of_rounded = std::uint32_t{1} << 24U;

/// Updates to cells, whose number is a power of two. Lanes add to few cells at random. With at
/// least one cell per lane, every lane has its own cell in each step, neighbours side by side.
/// Exact: values are odd integers of both signs, with exact float sums in any order, which expose
/// every lost add. Rounded: values from 0.5 to 1, whose sums are rounded.
struct update_set {
  std::uint32_t cells = 1;
  std::uint32_t lanes = 32;
  bool rounded = false;
};

/// One lane's updates: a generator's state, and the value, whose sign changes with the state.
struct lane_updates {
  std::uint32_t state = 0, multiplier = 1, increment = 0;
  std::uint32_t parts = 1;      ///< the value without its sign: whole numbers, or 2^-24
  std::uint32_t sign_mask = 0;  ///< for a float, 0: all values are positive
};

/// Returns the finalizer of MurmurHash3.
[[nodiscard]] SM_BOTH constexpr std::uint32_t scrambled(std::uint32_t x) {
  x = (x ^ (x >> 16U)) * 0x85ebca6bU;
  x = (x ^ (x >> 13U)) * 0xc2b2ae35U;
  return x ^ (x >> 16U);
}

[[nodiscard]] SM_BOTH constexpr lane_updates updates_of(std::uint32_t lane, const update_set& all) {
  const std::uint32_t drawn = scrambled(lane + 1);
  lane_updates of;
  if (all.cells >= all.lanes) {
    // Cell i begins at state i * of_cell. The extra 1 in each step changes the sign.
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
/// Returns the next cell: the upper bits of the state.
[[nodiscard]] SM_BOTH constexpr std::uint32_t cell_of_update(const lane_updates& of,
                                                             std::uint32_t cells) {
  return static_cast<std::uint32_t>(std::uint64_t{of.state} * cells >> 32U);
}
/// Returns a float's sign at its place in the bit pattern, from a state bit with no influence on
/// the cell.
[[nodiscard]] SM_BOTH constexpr std::uint32_t sign_of_update(const lane_updates& of) {
  return (of.state << 23U) & of.sign_mask;
}
/// Returns the next signed addend, in parts of the value.
[[nodiscard]] SM_BOTH constexpr long long parts_of_update(const lane_updates& of) {
  return sign_of_update(of) != 0 ? -static_cast<long long>(of.parts) : of.parts;
}

/// Returns a cell's expected value after `parts` parts.
[[nodiscard]] SM_BOTH constexpr double sum_of_parts(long long parts, bool rounded) {
  return static_cast<double>(parts) / (rounded ? parts_of_rounded : 1);
}
/// Returns a cell's allowed error, 0 for exact sets. In rounded sets n additions with one sign, in
/// any order, each add a relative error of 2^-24. Source: Higham, "Accuracy and Stability of
/// Numerical Algorithms", section 4.2. No value is below 0.5: n is at most twice the sum.
[[nodiscard]] SM_BOTH constexpr double allowed_error(double sum, bool rounded) {
  return rounded ? sum * 0x1p-23 * sum : 0;
}

}  // namespace syncmeter::cuda
