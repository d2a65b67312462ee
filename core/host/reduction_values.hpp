// The inputs of reductions: each element follows from its index and a seed, so that one of them can
// be put back, and one larger than all others is planted at a place that changes.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

namespace syncmeter {

/// Signs of an input's elements. Unsigned types have no negatives: theirs are the same in all.
enum class reduction_input : std::uint8_t { mixed, negative };

/// A well-mixed 64-bit word (the finalizer of splitmix64).
[[nodiscard]] constexpr std::uint64_t mixed_word(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

/// Elements are integers below 2^bits, in a floating type too, where all of them are exact.
template <class T>
inline constexpr unsigned reduction_bits = std::is_same_v<T, float>    ? 22
                                           : std::is_same_v<T, double> ? 50
                                                                       : 8 * sizeof(T) - 2;

/// The element at `index` of an input without a planted maximum. No element is not a number, or
/// zero with a sign.
template <class T>
[[nodiscard]] constexpr T reduction_element(std::uint64_t index, std::uint64_t seed,
                                            reduction_input kind) {
  constexpr std::uint64_t span = std::uint64_t{1} << reduction_bits<T>;
  const std::uint64_t drawn = mixed_word(index ^ mixed_word(seed)) & (span - 1);
  if constexpr (std::is_unsigned_v<T>) return static_cast<T>(drawn);
  const auto value = static_cast<std::int64_t>(drawn);
  if (kind == reduction_input::negative)
    return static_cast<T>(-1 - static_cast<std::int64_t>(span / 4) - value / 2);
  return static_cast<T>(value - static_cast<std::int64_t>(span / 2));
}

/// Larger than every element of such an input; another one for each draw below 2^20.
template <class T>
[[nodiscard]] constexpr T reduction_maximum(std::uint64_t draw, reduction_input kind) {
  constexpr std::uint64_t draws = std::uint64_t{1} << 20U;
  if (std::is_signed_v<T> && kind == reduction_input::negative)
    return static_cast<T>(-1 - static_cast<std::int64_t>(draw % draws));
  return static_cast<T>((std::uint64_t{1} << reduction_bits<T>)+draw % draws);
}

/// What the maximum of nothing is: less than every value, or equal to it.
template <class T> [[nodiscard]] constexpr T reduction_identity() {
  if constexpr (std::is_floating_point_v<T>) return -std::numeric_limits<T>::infinity();
  else return std::numeric_limits<T>::lowest();
}

}  // namespace syncmeter
