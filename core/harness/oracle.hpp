// The oracles: what the cells must hold after a sample, checked from the outside on every sample.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <type_traits>

#include "core/op.hpp"

namespace syncmeter {

/// Unsigned integer of T's width: bit patterns are compared and summed in it, so that floats are
/// exact.
template <class T> using bits_of = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

/// What a lane brings back from its loop, as bit patterns.
struct lane_outcome {
  std::uint64_t tally = 0;    ///< what the op accumulated over its results
  std::uint64_t operand = 0;  ///< the operand of its last step
};

/// The value of every cell before a sample. Chosen so that the op can do its work for 2^24 steps in
/// the narrowest type: sums start at 0, a minimum that is to be lowered starts high.
template <class T> [[nodiscard]] constexpr T initial_value(oracle kind) {
  if (kind == oracle::unchanged) return T{7};
  if (kind != oracle::lowers) return T{0};
  if constexpr (std::is_same_v<T, float>) return 0x1p24F;
  else if constexpr (std::is_same_v<T, double>) return 0x1p52;
  else return static_cast<T>(T{1} << (8 * sizeof(T) - 2));
}

/// The operand that a lane starts with.
template <class T> [[nodiscard]] constexpr T initial_operand(oracle kind, unsigned lane) {
  if (kind == oracle::raises || kind == oracle::lowers) return initial_value<T>(kind);
  if (kind == oracle::exchanges || kind == oracle::written || kind == oracle::written_twice) {
    return static_cast<T>(lane + 1);
  }
  return T{1};
}

/// What a cell holds after that many additions or subtractions of 1: a float stops where one is
/// lost to rounding, an integer wraps.
template <class T> [[nodiscard]] constexpr T after_ones(T initial, std::uint64_t ones, bool up) {
  if constexpr (std::is_floating_point_v<T>) {
    const auto limit = static_cast<double>(std::uint64_t{1} << std::numeric_limits<T>::digits);
    const double all = static_cast<double>(ones);
    const double moved = all < limit ? all : limit;
    return static_cast<T>(up ? static_cast<double>(initial) + moved
                             : static_cast<double>(initial) - moved);
  } else {
    const auto n = static_cast<bits_of<T>>(ones);
    const auto start = static_cast<bits_of<T>>(initial);
    return static_cast<T>(static_cast<bits_of<T>>(up ? start + n : start - n));
  }
}

/// The state after a sample. Spans are indexed by lane; with `one_cell` every lane used cell 0,
/// else each cell has as many of them as any other, neighbours together.
struct sample_outcome {
  oracle kind = oracle::none;
  value_type type = value_type::int32;
  bool one_cell = false;
  std::uint64_t ops_per_lane = 0;
  std::span<const lane_outcome> lanes;
  std::span<const std::uint64_t> cells;         ///< bit patterns, one per distinct cell
  std::span<const std::uint64_t> second_cells;  ///< of the second array; empty when the op has none
};

/// Empty when right, else what was expected and what was found.
[[nodiscard]] std::string check(const sample_outcome& outcome);

}  // namespace syncmeter
