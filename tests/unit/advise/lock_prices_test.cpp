// What a lock costs that is taken all the time, by made-up prices: which sites have one, and what
// is said where times of counted runs are no times of the program.
#include "driver/advise/lock_prices.hpp"

#include <gmock/gmock.h>

namespace syncmeter::lock_prices_test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

/// A million calls for each of two threads.
site taking(const std::string& kind, std::uint64_t count = 2'000'000) {
  return {.kind = kind, .module = "/bin/app", .count = count, .threads = 2};
}

price of_lock(double cost_ns, const std::string& swap = "", const std::string& op = "lock_add",
              const std::string& backend = "posix") {
  price one;
  one.what.op = op;
  one.what.backend = backend;
  one.what.lanes = 2;
  one.cost_ns = {cost_ns, cost_ns, cost_ns};
  one.swap = swap;
  return one;
}

/// So long in one turn after the other.
void add_turns(std::vector<price>& prices, const std::string& swap,
               const std::vector<double>& costs_ns) {
  unsigned turn = 0;
  for (const double cost_ns : costs_ns) {
    prices.push_back(of_lock(cost_ns, swap));
    prices.back().turn = ++turn;
  }
}

/// Of plain runs of 0.3 s.
advice advised(const std::vector<price>& prices, bool counts_alone = true,
               const std::string& rule = "locks") {
  const site of = taking("mutex_lock");
  advice found{.rule = rule, .site_id = 1, .at_most_s = 0.9, .text = "timed", .cause = "cause"};
  add_prices_of_lock(found, of, static_cast<double>(of.count) / of.threads,
                     {.wall_s = 1,
                      .plain_wall_s = {0.3, 0.3, 0.31},
                      .prices = prices,
                      .counts_alone = counts_alone});
  return found;
}

TEST(priced_point_of_lock, is_of_a_lock_that_threads_take_all_the_time) {
  program_file gnu;
  gnu.runtimes = {"libgomp.so.1"};
  const auto mutex = priced_point_of_lock(taking("mutex_lock"), 1, {});
  ASSERT_TRUE(mutex);
  EXPECT_EQ(mutex->backend + " " + mutex->op, "posix lock_add");
  EXPECT_EQ(mutex->placement, placement::shared);
  EXPECT_EQ(mutex->lanes, 2U);
  EXPECT_TRUE(is_price_of_mutex(*mutex));
  EXPECT_TRUE(priced_point_of_lock(taking("mutex_lock", 100'000), 1, {})) << "that sleeps for it";
  EXPECT_FALSE(priced_point_of_lock(taking("mutex_lock", 99'000), 1, {})) << "5 us a call, in turn";
  EXPECT_FALSE(priced_point_of_lock(taking("chunk"), 1, gnu));
  EXPECT_FALSE(priced_point_of_lock(taking("critical"), 1, {})) << "of no runtime";
  const auto critical = priced_point_of_lock(taking("critical"), 1, gnu);
  ASSERT_TRUE(critical);
  EXPECT_EQ(critical->backend + " " + critical->op, "omp critical_add");
  EXPECT_FALSE(is_price_of_mutex(*critical));
  site alone = taking("mutex_lock");
  alone.threads = 1;
  EXPECT_FALSE(priced_point_of_lock(alone, 1, {}));
}

TEST(add_prices_of_lock, counts_and_prices_stand_where_counting_disturbs) {
  const advice found = advised({of_lock(200), of_lock(250), of_lock(280)});
  EXPECT_TRUE(found.of_plain_runs);
  EXPECT_EQ(found.kind, "range");
  EXPECT_NEAR(found.at_most_s, 0.31, 1e-9) << "the longest plain run";
  EXPECT_EQ(found.at_least_s, 0);
  // As wide as the interval of any other price.
  const std::vector<double> costs{200, 250, 280};
  const interval all = over_visits(costs);
  EXPECT_LT(all.low, 200);
  EXPECT_NEAR(found.seen_share * 0.3, all.low * 1e-3, 1e-9) << "so many at the least price";
  EXPECT_THAT(found.text,
              HasSubstr("cause 2 threads that do nothing else take " +
                        range_text(all.low * 1e-9, all.high * 1e-9) + " for such a call"));
  EXPECT_THAT(found.text, HasSubstr("which is " + range_text(all.low * 1e-3, 0.3) + " of 0.3 s"));
  EXPECT_THAT(found.text, HasSubstr("A change saves something between nothing and all of a "
                                    "run, which takes 0.3 s to 0.31 s."));
  EXPECT_THAT(found.text, Not(HasSubstr("timed")));
  EXPECT_NEAR(advised({of_lock(400)}).at_most_s, 0.31, 1e-9) << "not more than the run";
}

TEST(add_prices_of_lock, a_price_that_leaves_most_of_the_time_to_other_work_says_nothing) {
  const advice found = advised({of_lock(149)});
  EXPECT_FALSE(found.of_plain_runs);
  EXPECT_EQ(found.text, "timed");
  EXPECT_TRUE(advised({of_lock(151)}).of_plain_runs);
  EXPECT_FALSE(advised({}).of_plain_runs);
  EXPECT_FALSE(advised({of_lock(200, "", "lock_add", "omp")}).of_plain_runs);
  EXPECT_FALSE(advised({of_lock(200, "mcs")}).of_plain_runs) << "of another lock";
}

TEST(add_prices_of_lock, a_bound_of_times_is_no_less_than_that_of_prices) {
  EXPECT_EQ(advised({of_lock(280)}, false).text, "timed");
  advice low{.rule = "readers", .site_id = 1, .at_most_s = 0.1, .text = "timed", .cause = "cause"};
  add_prices_of_lock(
      low, taking("rwlock_read"), 1e6,
      {.wall_s = 1, .plain_wall_s = {0.3, 0.3, 0.3}, .prices = {of_lock(250, "", "rwlock_read")}});
  EXPECT_NEAR(low.at_most_s, 0.25, 1e-9);
  EXPECT_FALSE(low.of_plain_runs);
  EXPECT_THAT(low.text, HasSubstr("A change saves at most that, 0.25 s."));
}

TEST(add_prices_of_lock, other_locks_save_as_their_prices_differ_beside_each_other) {
  std::vector<price> prices;
  add_turns(prices, "", {200, 220, 240, 200, 220, 240});
  add_turns(prices, "mcs", {300, 330, 360, 300, 330, 360});
  add_turns(prices, "ttas", {100, 165, 240, 100, 165, 240});
  const advice found = advised(prices);
  ASSERT_THAT(found.swaps, SizeIs(2));
  EXPECT_EQ(found.swaps[0].swap, "ttas");
  // Half less, or as much; half more, whatever the machine did: of 0.2 to 0.24 s, as runs differ.
  EXPECT_NEAR(found.swaps[0].low_s, 0, 0.01);
  EXPECT_NEAR(found.swaps[0].high_s, 0.12, 0.01);
  EXPECT_NEAR(found.swaps[1].low_s, 0.24 * -0.5, 1e-9);
  EXPECT_NEAR(found.swaps[1].high_s, 0.2 * -0.5, 1e-9);
  EXPECT_THAT(found.text, HasSubstr("mcs takes 0.1 s to 0.12 s more, of 0.3 s to "
                                    "0.31 s."));
  prices.clear();
  add_turns(prices, "", {200, 250});
  add_turns(prices, "mcs", {300, 400});
  EXPECT_THAT(advised(prices).swaps, IsEmpty()) << "two pairs have next to no width";
}

TEST(add_prices_of_lock, what_calls_take_is_no_more_than_the_longest_run) {
  std::vector<price> prices;
  add_turns(prices, "", {200, 400, 200, 400, 200, 400});
  add_turns(prices, "mcs", {300, 600, 300, 600, 300, 600});
  add_turns(prices, "ttas", {100, 200, 100, 200, 100, 200});
  const advice found = advised(prices);
  ASSERT_THAT(found.swaps, SizeIs(2));
  EXPECT_NEAR(found.swaps[0].low_s, 0.2 * 0.5, 1e-9);
  EXPECT_NEAR(found.swaps[0].high_s, 0.31 * 0.5, 1e-9);
  EXPECT_THAT(found.text, HasSubstr("ttas saves 0.1 s to 0.15 s, mcs takes 0.1 s to 0.15 s more, "
                                    "of 0.3 s to 0.31 s."))
      << "of the longest run";
  EXPECT_NEAR(found.swaps[1].low_s, 0.31 * -0.5, 1e-9);
  EXPECT_NEAR(found.swaps[1].high_s, 0.2 * -0.5, 1e-9);
}

TEST(add_prices_of_lock, a_price_that_is_missing_leaves_the_others_in_their_pairs) {
  std::vector<price> prices;
  add_turns(prices, "", {200, 400, 200, 400, 200, 400});
  add_turns(prices, "mcs", {300, 600, 300, 600, 300, 600});
  prices.erase(prices.begin() + 6);
  const advice found = advised(prices);
  ASSERT_THAT(found.swaps, SizeIs(1));
  EXPECT_NEAR(found.swaps[0].high_s, 0.2 * -0.5, 1e-9) << "half more in each turn";
}

TEST(add_prices_of_lock, only_who_wants_another_lock_is_told_of_others) {
  std::vector<price> prices;
  add_turns(prices, "", {200, 250, 280});
  add_turns(prices, "mcs", {300, 400, 400});
  for (const bool counts_alone : {true, false}) {
    const advice section = advised(prices, counts_alone, "section");
    EXPECT_THAT(section.swaps, IsEmpty());
    EXPECT_THAT(section.text, Not(HasSubstr("mcs")));
    EXPECT_THAT(advised(prices, counts_alone).text, HasSubstr("mcs"));
  }
}

}  // namespace
}  // namespace syncmeter::lock_prices_test
