// What updates and barriers of kernels take at least, by made-up prices.
#include "driver/advise/kernel_prices.hpp"

#include <cmath>

#include <gmock/gmock.h>

#include "driver/advise/kernel_ways.hpp"
#include "tests/unit/kernel_fixtures.hpp"

namespace syncmeter::kernel_prices_test {
namespace {

using namespace kernel_fixtures;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

TEST(price_of_add, between_two_numbers_of_addresses_it_is_on_a_line_in_logarithms) {
  EXPECT_NEAR(price_of_add("accumulate_integer", 256, curve)->value, 1 / 4.0, 1e-12);
  EXPECT_NEAR(price_of_add("accumulate_integer", 512, curve)->value, 1 / 16.0, 1e-12);
  EXPECT_NEAR(price_of_add("accumulate_integer", 384, curve)->value, 1 / at_384_per_ns, 1e-12);
  EXPECT_FALSE(price_of_add("accumulate_integer", 16, curve));
  EXPECT_FALSE(price_of_add("accumulate_integer", 40000, curve));
  EXPECT_FALSE(price_of_add("accumulate_integer", 2000, curve)) << "too far from both";
  EXPECT_FALSE(price_of_add("accumulate_fixed", 256, curve));
  const std::vector<price> side_by_side{adds_per_ns("accumulate_integer", 65536, 64),
                                        adds_per_ns("accumulate_integer", 131072, 900)};
  EXPECT_TRUE(price_of_add("accumulate_integer", 65536, side_by_side));
  EXPECT_FALSE(price_of_add("accumulate_integer", 100000, side_by_side)) << "of two orders";
  EXPECT_FALSE(price_of_add("accumulate_integer", 131072, side_by_side)) << "each thread its own";
  // A block alone has another rate.
  EXPECT_FALSE(price_of_add("accumulate_atomic", 1, {adds_per_ns("accumulate_atomic", 1, 1, 1)}));
}

TEST(floors_of, updates_are_by_the_number_of_addresses) {
  const kernel_floors floors = floors_of(updating(384), curve);
  ASSERT_TRUE(floors.updates);
  EXPECT_NEAR(floors.updates->value, 1 / at_384_per_ns, 1e-9);
  EXPECT_NEAR(floors.about_s(), 1 / at_384_per_ns, 1e-9);
  EXPECT_EQ(floors.least_s(), 0) << "in another order they may take less";
  EXPECT_FALSE(floors.hottest);
  EXPECT_FALSE(floors.barriers);
  EXPECT_EQ(floors_of(updating(384), {}).least_s(), 0);
  kernel_use wide = updating(384);
  wide.by_instruction.front().operation = "RED.E.ADD.64.STRONG.GPU";
  EXPECT_FALSE(floors_of(wide, curve).updates) << "a type without a price";
}

TEST(floors_of, only_adds_take_as_long_as_adds) {
  const std::vector<price> prices = with_copies();
  for (const char* operation : {"ATOMG.E.CAS.STRONG.GPU", "ATOMG.E.EXCH.STRONG.GPU"}) {
    kernel_use kernel = updating(384);
    kernel.by_instruction.front().operation = operation;
    EXPECT_FALSE(floors_of(kernel, prices).updates) << operation;
    EXPECT_TRUE(floors_of(kernel, prices).hottest) << "one after another they are";
    EXPECT_FALSE(fastest_way(kernel, prices)) << operation;
  }
  EXPECT_TRUE(floors_of(updating(384), prices).updates);
}

TEST(floors_of, barriers_are_by_the_blocks_that_run_at_once) {
  // A billion of 800 blocks at a time, 64 ns each.
  const std::vector<price> prices{barrier_ns(256, 800, 64), barrier_ns(256, 100, 16),
                                  barrier_ns(128, 800, 1)};
  const kernel_floors floors = floors_of(meeting(1e9), prices);
  ASSERT_TRUE(floors.barriers);
  EXPECT_NEAR(floors.barriers->value, 0.08, 1e-9);
  kernel_use small = meeting(1e9);
  small.blocks = 1000;
  EXPECT_NEAR(floors_of(small, prices).barriers->value, 0.16, 1e-9)
      << "100 blocks a launch are never 800 at once";
  EXPECT_FALSE(floors_of(meeting(0), prices).barriers);
}

TEST(floors_of, launches_that_were_counted_wholly_stand_for_all) {
  const std::vector<price> prices{barrier_ns(256, 800, 64)};
  kernel_use cut = meeting(1e7);
  cut.is_cut_off = true;
  EXPECT_NEAR(floors_of(cut, prices).barriers->value, 8e-4, 1e-9) << "of how many is not known";
  cut.counted_launches = 1;
  cut.counted_blocks = cut.blocks / 100;
  EXPECT_NEAR(floors_of(cut, prices).barriers->value, 0.08, 1e-9);
  EXPECT_TRUE(cut.is_at_least());
  kernel_use of_two = cut;
  add_kernel(cut, of_two);
  EXPECT_NEAR(barriers_of_launches(of_two), 2e9, 1);
  add_kernel(meeting(5), of_two);
  EXPECT_NEAR(barriers_of_launches(of_two), 2e7 + 5, 1) << "one that does not know";
  cut.has_lost = true;
  EXPECT_NEAR(barriers_of_launches(cut), 1e7, 1);
}

TEST(floors_of, a_process_that_counted_all_is_not_scaled_by_another) {
  kernel_use whole = meeting(10'000), cut = meeting(10);
  whole.blocks = whole.counted_blocks = 100;
  cut.blocks = 1'000'000, cut.counted_blocks = 10, cut.is_cut_off = true;
  kernel_use sum = whole;
  add_kernel(cut, sum);
  EXPECT_NEAR(barriers_of_launches(sum), 1.01e6, 1);
  EXPECT_NEAR(sum.barriers, 10'010, 1e-6) << "that were counted";
  add_kernel(whole, sum);
  EXPECT_NEAR(barriers_of_launches(sum), 1.02e6, 1);
}

TEST(points_of_kernel, they_are_the_ways_that_the_addresses_allow) {
  const auto texts = [](const kernel_use& kernel) {
    std::vector<std::string> all;
    for (const point& each : points_of_kernel(kernel, gpu_of(multiprocessors)))
      all.push_back(each.op + " " + std::to_string(each.blocks) + " x " +
                    std::to_string(each.lanes) + " " + std::to_string(each.size));
    return all;
  };
  EXPECT_THAT(texts(updating(256)), UnorderedElementsAre("accumulate_fixed 1 x 1024 1",
                                                         "accumulate_integer 100 x 1024 256",
                                                         "accumulate_integer 100 x 1024 1048576",
                                                         "accumulate_block_integer 400 x 256 256",
                                                         "accumulate_block_integer 400 x 256 1"));
  EXPECT_THAT(texts(updating(20000, 32)),
              UnorderedElementsAre(
                  "accumulate_fixed 1 x 1024 1", "accumulate_integer 100 x 1024 16384",
                  "accumulate_integer 100 x 1024 32768", "accumulate_block_match 400 x 256 1"));
  EXPECT_THAT(texts(updating(3000)), testing::Contains("accumulate_block_integer 400 x 256 4096"));
  kernel_use large = updating(256), small = updating(256);
  large.block_threads = 600;
  small.block_threads = 32;
  EXPECT_THAT(texts(large), testing::Contains("accumulate_block_integer 100 x 1024 256"));
  EXPECT_THAT(texts(small), testing::Contains("accumulate_block_integer 400 x 256 256"));
  EXPECT_THAT(texts(updating(65000)), testing::Contains("accumulate_integer 100 x 1024 65536"));
  for (const std::uint64_t many : {std::uint64_t{65537}, std::uint64_t{1} << 20U, billion})
    EXPECT_THAT(texts(updating(many, 32)), ElementsAre("accumulate_fixed 1 x 1024 1"))
        << "more addresses than any price in random order";
  kernel_use swapping = updating(256, 32);
  swapping.by_instruction.front().operation = "ATOMG.E.CAS.STRONG.GPU";
  EXPECT_THAT(texts(swapping), ElementsAre("accumulate_fixed 1 x 1024 1"));
  EXPECT_THAT(texts(meeting(1e9)), ElementsAre("barrier 800 x 256 0"));
  EXPECT_THAT(texts(meeting(0)), IsEmpty());
}

TEST(points_of_kernel, barriers_have_as_many_blocks_as_the_gpu_has_room_for) {
  // 1536 threads of a multiprocessor: 6 blocks of 256, and 13 of 112, in whole warps 12 of 128.
  EXPECT_EQ(points_of_kernel(meeting(1e9), gpu_of(10, 1536)).front().blocks, 60U);
  kernel_use small = meeting(1e9);
  small.block_threads = 112;
  EXPECT_EQ(points_of_kernel(small, gpu_of(10, 1536)).front().blocks, 120U);
  small.blocks = 70;
  EXPECT_EQ(points_of_kernel(small, gpu_of(10, 1536)).front().blocks, 7U) << "of 10 launches";
}

TEST(points_of_kernels, kernels_that_take_no_time_have_none) {
  const auto points_of = [](const std::vector<site>& sites, std::size_t room = 100) {
    return points_of_kernels(sites, gpu_of(10), 1, room);
  };
  const site one = site_of(0.1, updating(256));
  EXPECT_THAT(points_of({one}).points, SizeIs(5));
  EXPECT_THAT(points_of({one, one}).points, SizeIs(5));
  EXPECT_THAT(points_of({site_of(0.01, updating(256))}).points, IsEmpty());
  // Some of a kernel's points give no price.
  const points_in_room cut = points_of({one, site_of(0.05, meeting(1e9))}, 3);
  EXPECT_THAT(cut.points, ElementsAre(testing::Field(&point::op, "barrier")));
  EXPECT_THAT(cut.left_out, ElementsAre("count"));
  EXPECT_EQ(cut.all, 6U);
}

}  // namespace
}  // namespace syncmeter::kernel_prices_test
