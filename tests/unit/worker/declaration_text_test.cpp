#include <gmock/gmock.h>

#include "core/worker/declaration_text.hpp"

namespace syncmeter::declaration_text_test {
namespace {

TEST(declaration_text, what_is_shared_stands_in_front_of_each_alternative) {
  EXPECT_EQ(with("a 1", "b 1 | c 2, d 1"), "a 1, b 1 | a 1, c 2, d 1");
  EXPECT_EQ(with("a 1", "b 1"), "a 1, b 1");
  EXPECT_EQ(with("", "b 1 | c 2"), "b 1 | c 2");
}

measurable row_of(std::string_view name, value_type type) {
  return {.info = {.name = name, .typed = true}, .type = type};
}

TEST(declaration_text, a_compare_and_swap_loop_names_what_is_in_it) {
  EXPECT_EQ(cas_loop(""), "load 1, lock_cmpxchg 1, branch 1");
  EXPECT_EQ(cas_loop("fp_add 1"), "load 1, lock_cmpxchg 1, branch 1, fp_add 1");
}

TEST(declaration_text, a_lock_of_atomics_is_looked_at_and_left_beside_the_add) {
  EXPECT_EQ(under_lock(row_of("x", value_type::int32), "lock_xadd 1"),
            "lock_xadd 1, load 2, store 2 | lock_xadd 1, load 1, store 1, rmw 1");
  EXPECT_EQ(under_lock(row_of("x", value_type::float32), "lock_xadd 1"),
            "lock_xadd 1, load 2, store 2, fp_add 1");
}

TEST(declaration_text, ops_without_an_api_are_the_same_for_every_backend) {
  EXPECT_EQ(without_api(row_of("plain_read", value_type::float32)), "load 1");
  EXPECT_EQ(without_api(row_of("plain_add", value_type::int32)), "load 1, store 1 | rmw 1");
  EXPECT_EQ(without_api(row_of("plain_add", value_type::float64)), "load 1, fp_add 1, store 1");
  EXPECT_EQ(without_api(row_of("control_multiply_4", value_type::uint64)), "imul 4");
  EXPECT_EQ(without_api(row_of("control_multiply_4", value_type::float64)), "fp_mul 4");
  EXPECT_EQ(without_api(row_of("atomic_read", value_type::int32)), "");
}

}  // namespace
}  // namespace syncmeter::declaration_text_test
