// What the cells of the study of widths begin with and hold in the end, and which flaws that shows.
#include <algorithm>

#include <gmock/gmock.h>

#include "backends/cuda/widths/shapes.hpp"

namespace syncmeter::cuda {
namespace {

const cell_shape& named(std::string_view name) {
  return *std::ranges::find(cell_shapes, name, &cell_shape::name);
}

TEST(width_shapes, a_cell_begins_with_one_in_each_float) {
  EXPECT_EQ(first_bits(named("f16")), (cell_bits{0x3c00, 0}));
  EXPECT_EQ(first_bits(named("bf16x2")), (cell_bits{0x3f803f80, 0}));
  EXPECT_EQ(first_bits(named("f16x8")), (cell_bits{0x3c003c003c003c00, 0x3c003c003c003c00}));
  EXPECT_EQ(first_bits(named("f32x4")), (cell_bits{0x3f8000003f800000, 0x3f8000003f800000}));
}

TEST(width_shapes, integers_count_every_op_and_floats_end_as_they_began) {
  EXPECT_EQ(last_bits(width_action::add, named("u8"), 3 * 256 + 7, 0), (cell_bits{7, 0}));
  EXPECT_EQ(last_bits(width_action::add, named("u16"), 65536 + 9, 0), (cell_bits{9, 0}));
  EXPECT_EQ(last_bits(width_action::fetch_add, named("u32"), 12345, 0), (cell_bits{12345, 0}));
  EXPECT_EQ(last_bits(width_action::add, named("f32x2"), 64, 0), first_bits(named("f32x2")));
  EXPECT_EQ(last_bits(width_action::compare_exchange, named("b64"), 64, 0),
            first_bits(named("b64")));
}

// Three lanes exchange in turn: what each wrote comes back to the next, the last stays.
TEST(width_shapes, exchanges_balance_and_one_that_is_lost_does_not) {
  for (const char* name : {"b32", "b64", "b128"}) {
    const cell_shape& shape = named(name);
    std::uint64_t balance = 0;
    cell_bits held = first_bits(shape);
    for (const std::uint32_t n : {70U, 4000000000U, 9U}) {
      balance += balance_of(held) - balance_of(exchanged_value(n, shape.bytes));
      held = exchanged_value(n, shape.bytes);
    }
    EXPECT_EQ(last_bits(width_action::exchange, shape, 3, balance), held) << name;
    balance += balance_of(exchanged_value(1, shape.bytes));  // came back, and nobody wrote it
    EXPECT_NE(last_bits(width_action::exchange, shape, 4, balance), held) << name;
  }
}

TEST(width_shapes, a_value_of_two_writes_is_seen) {
  const auto halves_of = [](std::uint32_t low, std::uint32_t high, unsigned bytes) {
    const cell_bits a = exchanged_value(low, bytes), b = exchanged_value(high, bytes);
    if (bytes == 16) return cell_bits{a.low, b.high};
    return cell_bits{(a.low & 0xffffffffU) | (b.low >> 32U << 32U), 0};
  };
  for (const unsigned bytes : {8U, 16U}) {
    EXPECT_EQ(torn(halves_of(5, 5, bytes), bytes), 0U);
    EXPECT_NE(torn(halves_of(5, 6, bytes), bytes), 0U);
  }
}

TEST(width_shapes, the_kind_of_an_op_holds_its_action_and_its_shape) {
  op_info info;
  for (const auto action : {width_action::add, width_action::compare_exchange}) {
    for (unsigned shape = 0; shape < cell_shapes.size(); ++shape) {
      info.kind = width_kind(action, shape);
      EXPECT_EQ(action_of(info), action);
      EXPECT_EQ(&shape_of(info), &cell_shapes[shape]);
    }
  }
}

}  // namespace
}  // namespace syncmeter::cuda
