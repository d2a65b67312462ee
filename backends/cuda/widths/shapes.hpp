// The cell shapes in the study of widths, their initial values, and the exchanged values: for host
// and device.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/op.hpp"

namespace syncmeter::cuda {

/// The element type of a cell. `bits`: no arithmetic.
enum class element : std::uint8_t { f16, bf16, f32, unsigned_integer, bits };

struct cell_shape {
  std::string_view name;
  element kind;
  unsigned count;             ///< elements changed by one update
  unsigned bytes;             ///< cell size
  bool since_hopper = false;  ///< needs compute capability 9.0

  [[nodiscard]] constexpr bool adds_floats() const {
    return kind == element::f16 || kind == element::bf16 || kind == element::f32;
  }
};

inline constexpr std::array cell_shapes{cell_shape{"f16", element::f16, 1, 2},
                                        cell_shape{"f16x2", element::f16, 2, 4},
                                        cell_shape{"f16x8", element::f16, 8, 16, true},
                                        cell_shape{"bf16", element::bf16, 1, 2},
                                        cell_shape{"bf16x2", element::bf16, 2, 4},
                                        cell_shape{"bf16x8", element::bf16, 8, 16, true},
                                        cell_shape{"f32", element::f32, 1, 4},
                                        cell_shape{"f32x2", element::f32, 2, 8, true},
                                        cell_shape{"f32x4", element::f32, 4, 16, true},
                                        cell_shape{"u8", element::unsigned_integer, 1, 1},
                                        cell_shape{"u16", element::unsigned_integer, 1, 2},
                                        cell_shape{"u32", element::unsigned_integer, 1, 4},
                                        cell_shape{"b32", element::bits, 1, 4},
                                        cell_shape{"b64", element::bits, 1, 8},
                                        cell_shape{"b128", element::bits, 1, 16, true}};

enum class width_action : std::uint8_t { add, fetch_add, exchange, compare_exchange };

/// The kind of an op in this room (op_info::kind), and its decoding.
[[nodiscard]] constexpr std::uint8_t width_kind(width_action action, unsigned shape) {
  return static_cast<std::uint8_t>(static_cast<unsigned>(action) * 16 + shape);
}
[[nodiscard]] constexpr const cell_shape& shape_of(const op_info& info) {
  return cell_shapes.at(info.kind % 16U);
}
[[nodiscard]] constexpr width_action action_of(const op_info& info) {
  return static_cast<width_action>(info.kind / 16U);
}

/// A cell's bits, the lower half first.
struct cell_bits {
  std::uint64_t low = 0, high = 0;
  friend constexpr bool operator==(const cell_bits&, const cell_bits&) = default;
};

/// Returns `value` in each `part` bytes of a cell.
[[nodiscard]] constexpr cell_bits in_each(std::uint64_t value, unsigned part, unsigned bytes) {
  cell_bits all;
  for (unsigned at = 0; at < bytes; at += part)
    (at < 8 ? all.low : all.high) |= value << (at % 8 * 8);
  return all;
}

/// Returns the value written by exchange number `n`. Its halves are complements, to expose a value
/// mixed from two writes.
[[nodiscard]] constexpr cell_bits exchanged_value(std::uint32_t n, unsigned bytes) {
  if (bytes == 16) return {n, ~std::uint64_t{n}};
  return {bytes == 8 ? n | std::uint64_t{~n} << 32U : n, 0};
}
/// Returns 0 if the halves are complements. A cell of 4 bytes has no halves.
[[nodiscard]] constexpr std::uint64_t torn(const cell_bits& value, unsigned bytes) {
  if (bytes == 16) return value.low ^ ~value.high;
  return bytes == 8 ? (value.low ^ ~(value.low >> 32U)) & 0xffffffffU : 0;
}
/// Returns the half whose sums balance written and returned values. The other half follows.
[[nodiscard]] constexpr std::uint64_t balance_of(const cell_bits& value) { return value.low; }

/// Returns a cell's initial bits: 1 in each float, because no sum may be a negative zero.
[[nodiscard]] constexpr cell_bits first_bits(const cell_shape& shape) {
  switch (shape.kind) {
  case element::f16:
    return in_each(0x3c00U, 2, shape.bytes);
  case element::bf16:
    return in_each(0x3f80U, 2, shape.bytes);
  case element::f32:
    return in_each(0x3f800000U, 4, shape.bytes);
  case element::bits:
    return exchanged_value(0, shape.bytes);
  case element::unsigned_integer:
    break;
  }
  return {};
}

/// Returns a cell's bits after `ops` ops in all lanes. Float addends cancel each other, and a
/// compare-and-swap writes the present value. `balance`, for exchanges: the sum of returned values
/// minus written values.
[[nodiscard]] constexpr cell_bits last_bits(width_action action, const cell_shape& shape,
                                            std::uint64_t ops, std::uint64_t balance) {
  const cell_bits first = first_bits(shape);
  if (action == width_action::exchange) {
    const std::uint64_t low = balance_of(first) - balance;
    if (shape.bytes == 16) return {low, ~low};
    return {shape.bytes == 4 ? low & 0xffffffffU : low, 0};
  }
  if (shape.kind != element::unsigned_integer) return first;
  return {(first.low + ops) & ((std::uint64_t{1} << (shape.bytes * 8)) - 1), 0};
}

}  // namespace syncmeter::cuda
