// What a worker writes: what its ops should compile to, and what a visit says of its op, so that a
// reader need not know it.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/worker/declaration_text.hpp"
#include "core/worker/protocol.hpp"

namespace syncmeter::worker_text_test {
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

TEST(visit_json, says_what_its_op_is) {
  const op_info info{.name = "ring", .family = family::reduction, .cost_per_lane = true};
  const auto line = to_visit_json({}, info);
  EXPECT_EQ(line.at("family"), "reduction");
  EXPECT_EQ(line.at("pairing"), "self");
  EXPECT_EQ(line.at("cost_per_lane"), true);
  EXPECT_EQ(to_visit_json({}, {.name = "between", .pairing = pairing::insert}).at("pairing"),
            "insert");
}

TEST(visit_json, says_nothing_of_an_op_that_the_worker_does_not_have) {
  EXPECT_FALSE(to_visit_json({}, {}).contains("family"));
}

TEST(visit_json, has_cycles_only_where_they_are_counted) {
  visit_result result;
  result.estimates.resize(2);
  result.estimates[1].cost_cycles = {14, 13, 15};
  const auto estimates = to_visit_json(result, {.name = "ring"}).at("estimates");
  EXPECT_FALSE(estimates[0].contains("cost_cycles"));
  EXPECT_EQ(estimates[1].at("cost_cycles").at("value"), 14);
}

}  // namespace
}  // namespace syncmeter::worker_text_test
