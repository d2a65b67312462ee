// What a terminal shows of a program: which sites come first.
#include <gmock/gmock.h>

#include "driver/advise/advise.hpp"

namespace syncmeter::advice_text_test {
namespace {

site locked_by_one(std::uint64_t count) {
  return {.kind = "mutex_lock", .module = "/bin/often", .count = count, .threads = 1};
}

/// A barrier that two threads reach 1000 times, where each waits for so long each time.
site barrier(double mechanism_ns) {
  site of{.kind = "barrier", .module = "/bin/long", .team = 2, .count = 1000, .threads = 2};
  of.times = site_times{.timed = 2000, .threads = 2};
  of.times->mechanism = {.sum_ns = 2000 * mechanism_ns, .median_ns = mechanism_ns};
  return of;
}

program_counts counts_of(std::vector<site> sites, double counted_s) {
  program_counts of{
      .command = {"app"}, .file = {}, .runs = {}, .of_last_run = {}, .advices = {}, .notes = {}};
  of.runs = {{.arm = "plain", .wall_s = 1},
             {.arm = "count", .wall_s = counted_s},
             {.arm = "time", .wall_s = 1}};
  of.of_last_run.processes = 1;
  of.of_last_run.sites = std::move(sites);
  return of;
}

bool barrier_is_first(const program_counts& of) {
  const std::string text = advice_text(of, {});
  return text.find("long+") < text.find("often+");
}

TEST(advice_text, sites_that_take_most_time_come_first) {
  EXPECT_TRUE(barrier_is_first(counts_of({locked_by_one(1'000'000), barrier(1e5)}, 1)));
  // Less than a thousandth of the time is as much as nothing.
  EXPECT_FALSE(barrier_is_first(counts_of({locked_by_one(1'000'000), barrier(500)}, 1)));
}

TEST(advice_text, where_counting_costs_too_much_sites_with_most_calls_come_first) {
  EXPECT_FALSE(barrier_is_first(counts_of({locked_by_one(1'000'000), barrier(1e5)}, 1.5)));
}

}  // namespace
}  // namespace syncmeter::advice_text_test
