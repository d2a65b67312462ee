// What updates and barriers of kernels take at least, by made-up prices, and what is advised.
#include "driver/advise/kernel_prices.hpp"

#include <cmath>

#include <gmock/gmock.h>

#include "driver/advise/kernel_rules.hpp"
#include "driver/advise/kernel_ways.hpp"

namespace syncmeter::kernel_prices_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

constexpr unsigned multiprocessors = 100;

gpu_device gpu_of(unsigned multiprocessors_of_it, unsigned threads_at_once = 2048) {
  gpu_device gpu;
  gpu.multiprocessors = multiprocessors_of_it;
  gpu.max_threads_per_multiprocessor = threads_at_once;
  gpu.max_blocks_per_multiprocessor = 32;
  gpu.warp_size = 32;
  return gpu;
}

/// Of 1024 threads on each multiprocessor with 16 adds each.
price adds_per_ns(const std::string& op, unsigned addresses, double rate,
                  unsigned blocks = multiprocessors) {
  price one;
  one.what.backend = "cuda";
  one.what.op = op;
  // Copies are priced in blocks as large as the kernel's.
  one.what.lanes = op.starts_with("accumulate_block") ? 256 : 1024;
  one.what.blocks = blocks * 1024 / one.what.lanes;
  one.what.size = addresses;
  const double ns = blocks * 1024 * 16 / rate;
  one.cost_ns = {ns, ns, ns};
  return one;
}

price barrier_ns(unsigned threads, unsigned blocks, double ns) {
  price one;
  one.what.backend = "cuda";
  one.what.op = "barrier";
  one.what.lanes = threads;
  one.what.blocks = blocks;
  one.cost_ns = {ns, ns, ns};
  return one;
}

constexpr std::uint64_t billion = 1'000'000'000;

/// 10 launches with a billion updates, spread evenly.
kernel_use updating(std::uint64_t addresses, std::uint64_t threads_alike = 1) {
  kernel_use kernel;
  kernel.name = "count";
  kernel.launches = 10;
  kernel.blocks = 100'000;
  kernel.block_threads = 256;
  kernel.updates = billion;
  kernel.addresses = addresses;
  kernel.hottest = billion / addresses;
  kernel.hottest_warps = kernel.hottest / threads_alike;
  kernel.by_instruction = {{.updates = billion,
                            .warp_addresses = billion / threads_alike,
                            .addresses = addresses,
                            .hottest = kernel.hottest,
                            .operation = "RED.E.ADD.STRONG.GPU"}};
  return kernel;
}

kernel_use meeting(double barriers) {
  kernel_use kernel;
  kernel.name = "relax";
  kernel.launches = 10;
  kernel.blocks = 100'000;
  kernel.block_threads = 250;
  kernel.barriers = barriers;
  return kernel;
}

site launching(double busy_s, const kernel_use& kernel) {
  site of{.kind = "kernel_launch", .module = "/bin/app", .count = 10, .threads = 1};
  of.device = device_times{.works = 10, .busy = {.sum_ns = busy_s * 1e9}};
  of.kernels = {kernel};
  return of;
}

struct said {
  std::vector<advice> advices;
  std::vector<std::string> notes;
};
said said_of(const site& of, const std::vector<price>& prices) {
  said found;
  found.advices = advise_on_kernels(
      {of}, {.wall_s = 1, .plain_wall_s = {1, 1, 1}, .prices = prices}, found.notes);
  return found;
}

const std::vector<price> curve{adds_per_ns("accumulate_integer", 256, 4),
                               adds_per_ns("accumulate_integer", 512, 16),
                               adds_per_ns("accumulate_integer", 32768, 64)};
/// Of 384 addresses, which is nearer to 512.
const double at_384_per_ns = 4 * std::pow(4, std::log2(1.5));

/// Of a block's copy that its threads add to the GPU's memory: all addresses for each block, those
/// of one address one by one.
const double copied_s = std::max(100'000 * 384 / 1000e9, 100'000 / 1.25e9);

std::vector<price> with_copies() {
  std::vector<price> all = curve;
  all.push_back(adds_per_ns("accumulate_integer", 1U << 20U, 1000));
  all.push_back(adds_per_ns("accumulate_fixed", 1, 1.25, 1));
  all.push_back(adds_per_ns("accumulate_block_integer", 1, 6));
  all.push_back(adds_per_ns("accumulate_block_integer", 256, 200));
  all.push_back(adds_per_ns("accumulate_block_integer", 512, 200));
  return all;
}

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

TEST(fastest_way, addresses_and_warps_decide) {
  std::vector<price> prices = with_copies();
  prices.push_back(adds_per_ns("accumulate_integer", 1, 1.25));
  prices.push_back(adds_per_ns("accumulate_block_match", 1, 176));
  const auto name_of = [&](const kernel_use& kernel) {
    const auto way = fastest_way(kernel, prices);
    return way ? std::string(way->name) : "";
  };
  EXPECT_EQ(name_of(updating(384)), "block");
  EXPECT_EQ(name_of(updating(1, 32)), "both");
  EXPECT_EQ(name_of(updating(32768, 32)), "warp");
  EXPECT_EQ(name_of(updating(32768)), "");
  // Shared memory serves one address of a block one after another, too.
  kernel_use hub = updating(512);
  hub.hottest = billion / 2;
  EXPECT_NEAR(fastest_way(hub, prices)->takes_s.value, 0.5 / 6 + 512 * 1e-7, 1e-4);
}

/// Half of all updates are of one address, 16 in each warp; the other ones are drawn.
kernel_use with_hub(std::uint64_t addresses) {
  kernel_use hub = updating(addresses);
  hub.hottest = billion / 2;
  hub.hottest_warps = billion / 32;
  hub.by_instruction.front().warp_addresses = billion / 32 * 17;
  return hub;
}

TEST(fastest_way, an_address_that_is_in_each_warp_is_updated_once_by_it) {
  std::vector<price> prices = with_copies();
  for (const unsigned addresses : {16U, 32U})
    prices.push_back(adds_per_ns("accumulate_block_match", addresses, 160));
  const auto way = fastest_way(with_hub(32768), prices);
  ASSERT_TRUE(way);
  EXPECT_EQ(way->name, "warp");
  EXPECT_NEAR(way->takes_s.value, 1 / 32.0 / 1.25, 1e-9);
}

TEST(fastest_way, neighbours_with_one_address_have_the_price_of_few_addresses) {
  std::vector<price> prices = with_copies();
  prices.push_back(adds_per_ns("accumulate_block_match", 1, 176));
  const auto way = fastest_way(updating(256, 32), prices);
  ASSERT_TRUE(way);
  EXPECT_EQ(way->name, "both") << "a copy takes 1 / 6 s for 32 alike, not 1 / 200 s";
  EXPECT_NEAR(way->takes_s.value, 1 / 176.0 + copied_s, 1e-4);
}

TEST(fastest_way, copies_of_many_blocks_are_added_at_the_end) {
  std::vector<price> prices = with_copies();
  prices.push_back(adds_per_ns("accumulate_integer", 1, 1.25));
  prices.push_back(adds_per_ns("accumulate_block_match", 1, 176));
  kernel_use kernel = updating(256, 32);
  EXPECT_EQ(fastest_way(kernel, prices)->name, "both");
  kernel.blocks = 10'000'000;
  const auto way = fastest_way(kernel, prices);
  EXPECT_EQ(way->name, "warp");
  EXPECT_NEAR(way->takes_s.value, 1 / 32.0 / 4, 1e-9);
}

TEST(addresses_as_alike, they_are_as_many_as_a_warp_would_draw_from) {
  const auto of_drawn = [](double addresses, std::uint64_t of_kernel) {
    update_use update{.updates = billion};
    update.warp_addresses = static_cast<std::uint64_t>(billion / 32.0 * addresses *
                                                       (1 - std::pow(1 - 1 / addresses, 32)));
    return addresses_as_alike(update, of_kernel);
  };
  EXPECT_EQ(of_drawn(16, 16), 16);
  EXPECT_NEAR(of_drawn(16, 4096), 16, 0.1);
  EXPECT_EQ(of_drawn(1, 4096), 1);
  EXPECT_EQ(of_drawn(300, 512), 512) << "too few alike to tell";
  EXPECT_NEAR(addresses_as_alike(with_hub(512).by_instruction.front(), 512), 22, 0.5);
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
  const site one = launching(0.1, updating(256));
  EXPECT_THAT(points_of({one}).points, SizeIs(5));
  EXPECT_THAT(points_of({one, one}).points, SizeIs(5));
  EXPECT_THAT(points_of({launching(0.01, updating(256))}).points, IsEmpty());
  // Some of a kernel's points give no price.
  const points_in_room cut = points_of({one, launching(0.05, meeting(1e9))}, 3);
  EXPECT_THAT(cut.points, ElementsAre(testing::Field(&point::op, "barrier")));
  EXPECT_THAT(cut.left_out, ElementsAre("count"));
  EXPECT_EQ(cut.all, 6U);
}

TEST(advise_on_kernels, updates_that_another_way_does_faster_are_named) {
  const said found = said_of(launching(0.2, updating(384)), with_copies());
  ASSERT_THAT(found.advices, SizeIs(1));
  EXPECT_EQ(found.advices.front().rule, "updates");
  EXPECT_NEAR(found.advices.front().at_most_s, 0.2 - 1 / 200.0 - copied_s, 1e-6);
  EXPECT_THAT(
      found.advices.front().text,
      AllOf(HasSubstr("updates 384 addresses of the GPU's memory 1,000,000,000 times by atomic "
                      "operations: that"),
            HasSubstr("9 of them per ns on so many addresses in random order"),
            HasSubstr("privatize"), HasSubstr("if no other block reads"),
            HasSubstr("then take 5.1 ms"), HasSubstr("at most 0.19 s")));
  EXPECT_THAT(found.notes, IsEmpty());
}

TEST(advise_on_kernels, updates_that_no_way_does_faster_are_no_advice) {
  std::vector<price> as_slow = curve;
  as_slow.push_back(adds_per_ns("accumulate_integer", 1U << 20U, 1000));
  as_slow.push_back(adds_per_ns("accumulate_fixed", 1, 1.25, 1));
  for (const unsigned addresses : {1U, 256U, 512U})
    as_slow.push_back(adds_per_ns("accumulate_block_integer", addresses, 10));
  for (const std::vector<price>& prices : {curve, as_slow}) {
    const said found = said_of(launching(0.2, updating(384)), prices);
    EXPECT_THAT(found.advices, IsEmpty());
    EXPECT_THAT(found.notes, ElementsAre(HasSubstr("No other way that was measured is faster")));
  }
}

TEST(advise_on_kernels, kernels_that_take_much_longer_are_said_to_wait_for_something_else) {
  const said found = said_of(launching(1.2, updating(384)), with_copies());
  EXPECT_THAT(found.advices, IsEmpty());
  EXPECT_THAT(found.notes, ElementsAre(AllOf(HasSubstr("of count take about 0.11 s of the 1.2 s"),
                                             HasSubstr("save little"))));
  EXPECT_THAT(said_of(launching(0.3, updating(384)), with_copies()).notes, IsEmpty())
      << "a third of the time is not little";
}

TEST(advise_on_kernels, of_what_was_counted_or_priced_in_part_nothing_is_said) {
  const auto notes_of = [](const kernel_use& kernel) {
    return said_of(launching(1.2, kernel), with_copies()).notes;
  };
  EXPECT_THAT(notes_of(updating(384)), SizeIs(1));
  kernel_use cut = updating(384);
  cut.is_cut_off = true;
  EXPECT_THAT(notes_of(cut), IsEmpty());
  kernel_use meets = updating(384);
  meets.barriers = 10;
  EXPECT_THAT(notes_of(meets), IsEmpty()) << "barriers without a price";
  kernel_use waits = updating(384);
  waits.cluster_waits = 1;
  EXPECT_THAT(notes_of(waits), IsEmpty());
  kernel_use shared = updating(384);
  shared.by_instruction.push_back({.in_shared_memory = true, .updates = 1});
  EXPECT_THAT(notes_of(shared), IsEmpty());
  EXPECT_THAT(notes_of(updating(500'000)), IsEmpty()) << "more addresses than have a price";
  kernel_use swapping = updating(384);
  swapping.by_instruction.front().operation = "ATOMG.E.CAS.STRONG.GPU";
  EXPECT_THAT(notes_of(swapping), IsEmpty());
}

TEST(advise_on_kernels, a_price_beyond_all_that_the_gpu_took_is_of_another_order) {
  const said found = said_of(launching(0.05, updating(384)), with_copies());
  EXPECT_THAT(found.advices, IsEmpty());
  EXPECT_THAT(found.notes, IsEmpty());
}

TEST(advise_on_kernels, barriers_that_take_half_of_the_time_are_named) {
  const std::vector<price> prices{barrier_ns(256, 800, 64)};
  const said found = said_of(launching(0.1, meeting(1e9)), prices);
  ASSERT_THAT(found.advices, SizeIs(1));
  EXPECT_EQ(found.advices.front().rule, "block_barriers");
  EXPECT_THAT(found.advices.front().text,
              AllOf(HasSubstr("1,000,000,000 barriers of 250 threads"),
                    HasSubstr("0.08 s at least"), HasSubstr("64 ns where 800 blocks"),
                    HasSubstr("at most all")));
  EXPECT_THAT(said_of(launching(0.2, meeting(1e9)), prices).notes, IsEmpty());
  const said other = said_of(launching(0.9, meeting(1e9)), prices);
  EXPECT_THAT(other.advices, IsEmpty());
  EXPECT_THAT(other.notes, ElementsAre(HasSubstr("save little")));
}

TEST(advise_on_kernels, a_hot_address_names_the_fastest_way) {
  std::vector<price> prices{
      adds_per_ns("accumulate_fixed", 1, 1.25, 1), adds_per_ns("accumulate_integer", 1, 1.25),
      adds_per_ns("accumulate_integer", 1U << 20U, 1000),
      adds_per_ns("accumulate_block_integer", 1, 6), adds_per_ns("accumulate_block_match", 1, 160)};
  const said found = said_of(launching(1, updating(1, 32)), prices);
  ASSERT_THAT(found.advices, SizeIs(1));
  EXPECT_EQ(found.advices.front().rule, "hot_address");
  EXPECT_NEAR(found.advices.front().at_most_s, 1 - 1 / 160.0 - 100'000 / 1.25e9, 1e-6);
  EXPECT_THAT(found.advices.front().text,
              AllOf(HasSubstr("Let one thread of a warp add for all"), HasSubstr("to a copy of"),
                    HasSubstr("if no other block reads"), HasSubstr("then take 6.3 ms"),
                    Not(HasSubstr("at most all"))));
}

TEST(advise_on_kernels, of_a_hot_address_no_way_is_advised_that_was_measured_as_no_faster) {
  const std::vector<price> hot{adds_per_ns("accumulate_fixed", 1, 1.25, 1)};
  std::vector<price> measured = hot;
  measured.push_back(adds_per_ns("accumulate_integer", 1U << 20U, 1000));
  measured.push_back(adds_per_ns("accumulate_block_integer", 1, 1.25));
  const site of = launching(1, updating(1));
  EXPECT_THAT(said_of(of, hot).advices.front().text,
              AllOf(HasSubstr("privatize"), HasSubstr("if no other block reads")));
  const said found = said_of(of, measured);
  EXPECT_THAT(found.advices, IsEmpty());
  EXPECT_THAT(found.notes,
              ElementsAre(AllOf(HasSubstr("0.8 s at least"), HasSubstr("No other way that was"))));
}

TEST(advise_on_kernels, no_warp_or_block_does_a_compare_and_swap_first) {
  kernel_use swapping = updating(1, 32);
  swapping.by_instruction.front().operation = "ATOMG.E.CAS.STRONG.GPU";
  const said found = said_of(launching(1, swapping), {adds_per_ns("accumulate_fixed", 1, 1.25, 1)});
  ASSERT_THAT(found.advices, SizeIs(1));
  EXPECT_THAT(found.advices.front().text,
              AllOf(HasSubstr("as an add takes 0.8 ns"), HasSubstr("A compare-and-swap or"),
                    Not(HasSubstr("privatize")), Not(HasSubstr("In each warp"))));
}

}  // namespace
}  // namespace syncmeter::kernel_prices_test
