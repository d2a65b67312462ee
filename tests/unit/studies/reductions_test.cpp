// Reductions: their inputs, and their plan on a GPU and on CPUs.
#include <algorithm>
#include <limits>
#include <set>

#include <gmock/gmock.h>

#include "core/host/reduction_array.hpp"
#include "core/worker/worker.hpp"
#include "tests/unit/driver_fixtures.hpp"
#include "tests/unit/gpu_fixtures.hpp"
#include "tests/unit/plan_fixtures.hpp"

namespace syncmeter::reductions_test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

template <class T> class reduction_values : public testing::Test {};
using all_types = testing::Types<std::int32_t, std::uint32_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(reduction_values, all_types);

TYPED_TEST(reduction_values, what_is_planted_is_larger_than_all_else_and_exact) {
  using T = TypeParam;
  for (const auto kind : {reduction_input::mixed, reduction_input::negative}) {
    T most = reduction_element<T>(0, 7, kind), least = most;
    for (std::uint64_t i = 0; i < 20000; ++i) {
      const T value = reduction_element<T>(i, 7, kind);
      most = std::max(most, value);
      least = std::min(least, value);
    }
    EXPECT_LT(most, reduction_maximum<T>(0xfffff, kind));
    EXPECT_LT(most, reduction_maximum<T>(0, kind));
    EXPECT_NE(reduction_maximum<T>(5, kind), reduction_maximum<T>(6, kind)) << "or one hides";
    EXPECT_GE(least, reduction_identity<T>());
    if (!std::is_signed_v<T>) continue;
    EXPECT_EQ(reduction_maximum<T>(0xfffff, kind) < 0, kind == reduction_input::negative);
    EXPECT_EQ(most < 0, kind == reduction_input::negative);
    EXPECT_LT(least, T{});
  }
}

void fill_int(std::int32_t* data, std::size_t n, std::uint64_t seed, reduction_input kind,
              unsigned) {
  for (std::size_t i = 0; i < n; ++i) data[i] = reduction_element<std::int32_t>(i, seed, kind);
}

TEST(reduction_array, its_maximum_moves_and_the_last_one_is_put_back) {
  reduction_array input;
  input.fit<std::int32_t>(1001, 1, &fill_int);
  std::set<std::int32_t> seen;
  for (int i = 0; i < 20; ++i) {
    input.plant();
    const auto* const data = input.data<std::int32_t>();
    const std::int32_t most = *std::max_element(data, data + input.elements());
    EXPECT_EQ(input.difference(most), 0U);
    EXPECT_NE(input.difference(most - 1), 0U);
    seen.insert(most);
  }
  EXPECT_GT(seen.size(), 15U) << "a result of the last sample would pass for this one's";
}

void fill_too_high(std::int32_t* data, std::size_t n, std::uint64_t, reduction_input, unsigned) {
  std::fill_n(data, n, std::numeric_limits<std::int32_t>::max());
}

TEST(reduction_array, an_array_that_is_not_as_it_should_be_is_no_input) {
  reduction_array input;
  EXPECT_THROW(input.fit<std::int32_t>(1001, 1, &fill_too_high), std::runtime_error);
}

TEST(reduction_array, a_size_is_asked_for_and_refused_where_there_is_no_memory_for_it) {
  measurable row{.info = {.name = "reduce_max", .typed = true, .size_of = "elements"},
                 .type = value_type::int32};
  EXPECT_THROW(require_room(row, {.op = "reduce_max"}), point_refused);
  EXPECT_NO_THROW(require_room(row, {.op = "reduce_max", .size = 1000}));
  EXPECT_THROW(require_room(row, {.op = "reduce_max", .size = 1U << 31U}), point_refused);
  row.info.size_of = {};
  EXPECT_NO_THROW(require_room(row, {.op = "barrier"}));
}

capability form_row(const std::string& op, value_type type) {
  capability row = fixtures::gpu_row(op, op.ends_with("bandwidth") ? "memory" : "reduction", type);
  row.size_of = "elements";
  row.in_quick = false;
  return row;
}

TEST(reductions_plan, every_size_for_int32_and_two_for_the_others) {
  worker_info worker = fixtures::cuda_worker();
  for (const value_type type : {value_type::int32, value_type::float64}) {
    for (const char* op : {"reduce_max_block_atomic", "reduce_max_cub", "read_bandwidth"})
      worker.capabilities.push_back(form_row(op, type));
  }
  worker.capabilities.push_back(fixtures::gpu_row("reduce_max_sync", "warp", value_type::int32));
  run_options options;
  options.study = "reductions";
  std::vector<std::string> planned;
  for (const planned_point& p : fixtures::plan_on("core:2 pu:1", options, {worker}).points) {
    EXPECT_EQ(p.what.blocks, 1U);
    planned.push_back(
        fmt::format("{} {} {} {}", p.what.op, to_text(*p.what.type), p.what.size, p.what.lanes));
  }
  EXPECT_THAT(planned, Contains("reduce_max_cub int32 1024 256"));
  EXPECT_THAT(planned, Contains("reduce_max_cub int32 268435456 256"));
  EXPECT_THAT(planned, Contains("read_bandwidth double 67108864 256"));
  EXPECT_THAT(planned, Contains("reduce_max_block_atomic int32 67108864 1024"));
  EXPECT_THAT(planned, Contains("reduce_max_block_atomic double 4194304 256"));
  EXPECT_THAT(planned, Not(Contains("reduce_max_block_atomic double 67108864 256")))
      << "a compare-and-swap in every thread";
  EXPECT_THAT(planned, Not(Contains(HasSubstr("reduce_max_sync"))));
  options.study = "quick";
  for (const planned_point& p : fixtures::plan_on("core:2 pu:1", options, {worker}).points)
    EXPECT_EQ(p.what.size, 0U) << canonical(p.what);
}

TEST(reductions_plan, arrays_of_two_sizes_are_two_points_whatever_their_code) {
  worker_info worker = fixtures::omp_worker();
  for (capability row : fixtures::rows_of(
           {.op = "reduce_max", .family = "reduction", .types = {value_type::int32}})) {
    row.size_of = "elements";
    worker.capabilities.push_back(row);
  }
  run_options options;
  options.study = "reductions";
  const campaign_plan plan = fixtures::plan_on("core:2 pu:1", options, {worker});
  EXPECT_EQ(plan.points.size(), 5U * 2);
  for (const planned_point& p : plan.points) EXPECT_THAT(p.same_as, IsEmpty()) << canonical(p.what);
}

}  // namespace
}  // namespace syncmeter::reductions_test
