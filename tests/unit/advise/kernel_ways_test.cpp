// Other ways to do the updates of made-up kernels, by made-up prices, and what is advised.
#include "driver/advise/kernel_ways.hpp"

#include <cmath>

#include <gmock/gmock.h>

#include "driver/advise/kernel_prices.hpp"
#include "tests/unit/kernel_fixtures.hpp"

namespace syncmeter::kernel_ways_test {
namespace {

using namespace kernel_fixtures;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

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

TEST(fastest_way, whatever_a_warp_has_alike_the_planned_points_price_it) {
  for (unsigned alike_8 = 2 * 8; alike_8 <= 32 * 8; ++alike_8) {
    kernel_use kernel = updating(8192);
    kernel.by_instruction.front().warp_addresses = billion * 8 / alike_8;
    std::vector<price> prices;
    for (const point& each : points_of_kernel(kernel, gpu_of(multiprocessors))) {
      prices.push_back({.what = each});
      prices.back().cost_ns = {1000, 1000, 1000};
    }
    EXPECT_TRUE(fastest_way(kernel, prices)) << alike_8 / 8.0 << " threads alike";
  }
}

TEST(fastest_way, of_a_kernel_that_was_counted_in_part_copies_of_its_blocks_have_no_price) {
  std::vector<price> prices = with_copies();
  prices.push_back(adds_per_ns("accumulate_integer", 1, 1.25));
  prices.push_back(adds_per_ns("accumulate_block_match", 1, 176));
  kernel_use kernel = updating(256, 32);
  EXPECT_EQ(fastest_way(kernel, prices)->name, "both");
  kernel.is_cut_off = true;
  EXPECT_EQ(fastest_way(kernel, prices)->name, "warp");
  kernel_use lost = updating(256);
  EXPECT_EQ(fastest_way(lost, prices)->name, "block");
  lost.has_lost = true;
  EXPECT_FALSE(fastest_way(lost, prices));
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

TEST(advise_on_kernels, updates_that_another_way_does_faster_are_named) {
  const said found = said_of(site_of(0.2, updating(384)), with_copies());
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
  const auto notes_by = [](const std::vector<price>& prices) {
    const said found = said_of(site_of(0.2, updating(384)), prices);
    EXPECT_THAT(found.advices, IsEmpty());
    return found.notes;
  };
  EXPECT_THAT(
      notes_by(as_slow),
      ElementsAre(HasSubstr("No other way that was measured is shown to be faster by a fifth.")));
  EXPECT_THAT(notes_by(curve), ElementsAre(AllOf(HasSubstr("No other way has a price here."),
                                                 Not(HasSubstr("measured")))));
}

TEST(advise_on_kernels, kernels_that_take_much_longer_are_said_to_wait_for_something_else) {
  const said found = said_of(site_of(1.2, updating(384)), with_copies());
  EXPECT_THAT(found.advices, IsEmpty());
  EXPECT_THAT(found.notes, ElementsAre(AllOf(HasSubstr("of count take about 0.11 s of the 1.2 s"),
                                             HasSubstr("save little"))));
  EXPECT_THAT(said_of(site_of(0.3, updating(384)), with_copies()).notes, IsEmpty())
      << "a third of the time is not little";
}

TEST(advise_on_kernels, of_what_was_counted_or_priced_in_part_nothing_is_said) {
  const auto notes_of = [](const kernel_use& kernel) {
    return said_of(site_of(1.2, kernel), with_copies()).notes;
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
  const said found = said_of(site_of(0.05, updating(384)), with_copies());
  EXPECT_THAT(found.advices, IsEmpty());
  EXPECT_THAT(found.notes, IsEmpty());
}

TEST(advise_on_kernels, barriers_that_take_all_of_the_time_are_named) {
  const std::vector<price> prices{barrier_ns(256, 800, 64)};
  const said found = said_of(site_of(0.09, meeting(1e9)), prices);
  ASSERT_THAT(found.advices, SizeIs(1));
  EXPECT_EQ(found.advices.front().rule, "block_barriers");
  EXPECT_THAT(found.advices.front().text,
              AllOf(HasSubstr("1,000,000,000 barriers of 250 threads"),
                    HasSubstr("0.08 s at least"), HasSubstr("64 ns where 800 blocks"),
                    HasSubstr("at most all")));
  EXPECT_THAT(said_of(site_of(0.095, meeting(1e9)), prices).advices, SizeIs(1));
  EXPECT_THAT(said_of(site_of(0.1, meeting(1e9)), prices).advices, IsEmpty())
      << "warps of other blocks work meanwhile";
  EXPECT_THAT(said_of(site_of(0.1, meeting(1e9)), prices).notes, IsEmpty());
  EXPECT_THAT(said_of(site_of(0.07, meeting(1e9)), prices).advices.front().text,
              HasSubstr("0.07 s at least"))
      << "not more than the GPU took";
  kernel_use cut = meeting(1e8);
  cut.is_cut_off = true;
  EXPECT_THAT(said_of(site_of(0.009, cut), prices).advices.front().text,
              HasSubstr("at least 100,000,000 barriers"));
  cut.counted_launches = 1;
  cut.counted_blocks = cut.blocks / 10;
  EXPECT_THAT(said_of(site_of(0.09, cut), prices).advices.front().text,
              HasSubstr("about 1,000,000,000 (as the first 1 of 10 launches do) barriers"));
  const said other = said_of(site_of(0.9, meeting(1e9)), prices);
  EXPECT_THAT(other.advices, IsEmpty());
  EXPECT_THAT(other.notes, ElementsAre(HasSubstr("save little")));
}

TEST(advise_on_kernels, a_hot_address_names_the_fastest_way) {
  std::vector<price> prices{
      adds_per_ns("accumulate_fixed", 1, 1.25, 1), adds_per_ns("accumulate_integer", 1, 1.25),
      adds_per_ns("accumulate_integer", 1U << 20U, 1000),
      adds_per_ns("accumulate_block_integer", 1, 6), adds_per_ns("accumulate_block_match", 1, 160)};
  const said found = said_of(site_of(1, updating(1, 32)), prices);
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
  const site of = site_of(1, updating(1));
  EXPECT_THAT(said_of(of, hot).advices.front().text,
              AllOf(HasSubstr("privatize"), HasSubstr("if no other block reads")));
  const said found = said_of(of, measured);
  EXPECT_THAT(found.advices, IsEmpty());
  EXPECT_THAT(found.notes,
              ElementsAre(AllOf(HasSubstr("0.8 s at least"), HasSubstr("No other way that was"))));
  measured.back() = adds_per_ns("accumulate_block_integer", 1, 1.6);
  EXPECT_THAT(said_of(of, measured).advices, SizeIs(1));
  EXPECT_THAT(said_of(site_of(0.7, updating(1)), measured).advices, IsEmpty())
      << "all that the GPU took is less than a fifth longer";
}

TEST(advise_on_kernels, no_warp_or_block_does_a_compare_and_swap_first) {
  kernel_use swapping = updating(1, 32);
  swapping.by_instruction.front().operation = "ATOMG.E.CAS.STRONG.GPU";
  const said found = said_of(site_of(1, swapping), {adds_per_ns("accumulate_fixed", 1, 1.25, 1)});
  ASSERT_THAT(found.advices, SizeIs(1));
  EXPECT_THAT(found.advices.front().text,
              AllOf(HasSubstr("as an add takes 0.8 ns"), HasSubstr("A compare-and-swap or"),
                    Not(HasSubstr("privatize")), Not(HasSubstr("In each warp"))));
}

}  // namespace
}  // namespace syncmeter::kernel_ways_test
