// How late threads come that have the same work: measured on this machine, and taken for a site.
#include "driver/advise/equal_work.hpp"

#include <gmock/gmock.h>

#include <utility>

#include "driver/advise/rules.hpp"

namespace syncmeter {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A barrier of two threads that a thread reaches 100 us late in each ms, 1000 times.
site late_barrier() {
  site of{.kind = "barrier", .module = "/bin/app", .team = 2, .count = 1000, .threads = 2};
  of.times = site_times{.timed = 2000, .threads = 2};
  of.times->lateness = {.sum_ns = 2 * 1000 * 1e5, .median_ns = 2e5};
  of.times->mechanism = {.sum_ns = 1000, .median_ns = 1};
  return of;
}

price late(unsigned threads, unsigned work_ns, double late_ns) {
  price one;
  one.what.op = equal_work_name;
  one.what.lanes = threads;
  one.what.section_ns = work_ns;
  one.cost_ns = {late_ns, late_ns, late_ns};
  return one;
}

TEST(lateness_of_equal_work, threads_that_share_a_processor_come_one_after_the_other) {
  const topology machine = topology::of_this_machine();
  const int pu = machine.units().front().os;
  constexpr unsigned work_ns = 4'000'000;
  EXPECT_GT(lateness_of_equal_work(machine, {pu, pu}, 2, work_ns, 0), 1e5);
}

TEST(lateness_of_equal_work, a_thread_alone_is_never_late) {
  EXPECT_EQ(lateness_of_equal_work(topology::of_this_machine(), {}, 1, 1000, 0), 0);
}

TEST(judged_turns, one_run_is_judged_by_the_latest_of_the_nearest_work_for_as_long_as_the_sites) {
  const auto equal_work_us = [](const std::vector<price>& measured) {
    std::vector<double> each;
    for (const auto& turn :
         judged_turns(late_barrier(), {.before_barrier_ns = 1e6}, measured, 0.1)) {
      EXPECT_DOUBLE_EQ(turn.lateness_s, 0.1);
      each.push_back(turn.equal_work_s * 1e6);
    }
    return each;
  };
  EXPECT_THAT(equal_work_us({}), IsEmpty());
  EXPECT_THAT(equal_work_us({late(3, 1'000'000, 7)}), IsEmpty());
  EXPECT_THAT(equal_work_us({late(2, 1'000'000, 50), late(2, 1'000'000, 90), late(2, 1'000'000, 70),
                             late(2, 9'000, 400)}),
              ElementsAre(DoubleEq(90)));
  EXPECT_THAT(equal_work_us({late(2, 500'000, 30)}), ElementsAre(DoubleEq(60)));
}

/// The barrier's turns in timed runs of these numbers, with equal work so late behind these runs.
std::vector<lateness_beside_equal_work>
turns_of(const std::vector<timed_lateness>& runs,
         const std::vector<std::pair<std::size_t, double>>& run_and_late_ns) {
  site of = late_barrier();
  of.lateness_of_runs = runs;
  std::vector<price> measured;
  for (const auto& [run, late_ns] : run_and_late_ns) {
    measured.push_back(late(2, 1'000'000, late_ns));
    measured.back().after_run = run;
  }
  return lateness_in_turn(of, {.before_barrier_ns = 1e6}, measured);
}

TEST(lateness_in_turn, each_run_has_the_equal_work_beside_it) {
  const auto turns = turns_of({{.run = 4, .lateness_s = 0.1}, {.run = 7, .lateness_s = 0.2}},
                              {{4, 30'000}, {5, 900'000}, {6, 50'000}, {7, 40'000}, {8, 800'000}});
  ASSERT_EQ(turns.size(), 2U);
  EXPECT_DOUBLE_EQ(turns[0].lateness_s, 0.1);
  EXPECT_DOUBLE_EQ(turns[0].equal_work_s, 0.03);
  EXPECT_DOUBLE_EQ(turns[1].lateness_s, 0.2);
  EXPECT_DOUBLE_EQ(turns[1].equal_work_s, 0.05);
}

TEST(lateness_in_turn, a_run_with_patched_kernels_may_lie_between) {
  // Run 4 is timed, and 5 patched.
  const auto turns = turns_of({{.run = 4, .lateness_s = 0.1}, {.run = 8, .lateness_s = 0.2}},
                              {{5, 30'000}, {6, 900'000}, {7, 50'000}, {8, 40'000}});
  ASSERT_EQ(turns.size(), 2U);
  EXPECT_DOUBLE_EQ(turns[0].equal_work_s, 0.03);
  EXPECT_DOUBLE_EQ(turns[1].equal_work_s, 0.05);
}

TEST(lateness_in_turn, equal_work_beyond_another_timed_run_is_not_beside) {
  const auto turns = turns_of({{.run = 4, .lateness_s = 0.1},
                               {.run = 5, .lateness_s = 0.2},
                               {.run = 6, .lateness_s = 0.3},
                               {.run = 7, .lateness_s = 0.4}},
                              {{4, 30'000}, {7, 40'000}});
  ASSERT_EQ(turns.size(), 3U);
  EXPECT_DOUBLE_EQ(turns[0].equal_work_s, 0.03);
  EXPECT_DOUBLE_EQ(turns[1].lateness_s, 0.2);
  EXPECT_DOUBLE_EQ(turns[1].equal_work_s, 0.03);
  EXPECT_DOUBLE_EQ(turns[2].lateness_s, 0.4);
  EXPECT_DOUBLE_EQ(turns[2].equal_work_s, 0.04);
}

TEST(add_lateness_of_run, a_site_is_found_again) {
  std::vector<site> sites{late_barrier(), late_barrier()};
  sites[1].offset = 7;
  std::vector<site> of_run{late_barrier()};
  of_run[0].times->lateness.sum_ns *= 3;
  add_lateness_of_run(sites, of_run, 5);
  ASSERT_EQ(sites[0].lateness_of_runs.size(), 1U);
  EXPECT_EQ(sites[0].lateness_of_runs[0].run, 5U);
  EXPECT_DOUBLE_EQ(sites[0].lateness_of_runs[0].lateness_s, 0.3);
  EXPECT_THAT(sites[1].lateness_of_runs, IsEmpty());
}

/// What is said of the barrier where its threads and those with equal work came so late in each
/// timed run.
std::vector<advice> advice_of_turns(const std::vector<std::pair<double, double>>& late_and_equal_ms,
                                    std::vector<std::string>& notes) {
  site of = late_barrier();
  advice_setting setting{.wall_s = 1.1};
  for (std::size_t i = 0; i < late_and_equal_ms.size(); ++i) {
    const auto [late_ms, equal_ms] = late_and_equal_ms[i];
    of.lateness_of_runs.push_back({.run = 3 * (i + 1), .lateness_s = late_ms * 1e-3});
    setting.prices.push_back(late(2, 1'000'000, equal_ms * 1e3));
    setting.prices.back().after_run = 3 * (i + 1);
  }
  return advise_on({of}, setting, notes);
}

TEST(advise_on, a_disturbance_that_comes_and_goes_is_no_imbalance) {
  std::vector<std::string> notes;
  // It met the first run and not the equal work beside it.
  EXPECT_THAT(advice_of_turns({{100, 10}, {12, 15}, {90, 95}}, notes), IsEmpty());
  EXPECT_THAT(notes,
              ElementsAre(HasSubstr(
                  "a thread waits 0.012 s to 0.1 s of 1.1 s for the last one (barrier) in 3 timed "
                  "runs, in 2 of them no longer than threads with equal work beside that run, as "
                  "0.09 s beside 0.095 s:")));
}

TEST(advise_on, what_is_late_in_each_run_is_imbalance_beside_a_disturbance) {
  std::vector<std::string> notes;
  const auto all = advice_of_turns({{100, 10}, {210, 200}, {120, 15}}, notes);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all.front().rule, "imbalance");
  EXPECT_DOUBLE_EQ(all.front().at_most_s, 0.12);
  EXPECT_THAT(all.front().text,
              HasSubstr("A thread waits 0.12 s of 1.1 s; perfect balance saves at most that. That "
                        "is the median of 3 timed runs, in each of which threads wait longer than "
                        "with equal work beside that run, 0.21 s beside 0.2 s where the "
                        "difference is least."));
  EXPECT_THAT(notes, IsEmpty());
}

TEST(advise_on, two_timed_runs_are_judged_by_the_latest_equal_work) {
  std::vector<std::string> notes;
  EXPECT_THAT(advice_of_turns({{100, 10}, {210, 200}}, notes), IsEmpty());
}

TEST(advise_on, as_late_as_equal_work_is_no_imbalance) {
  advice_setting setting{.wall_s = 1.1, .prices = {late(2, 1'000'000, 99'000)}};
  std::vector<std::string> notes;
  const std::vector<advice> all = advise_on({late_barrier()}, setting, notes);
  ASSERT_EQ(all.size(), 1);
  EXPECT_EQ(all.front().rule, "imbalance");
  EXPECT_THAT(all.front().text, HasSubstr("With equal work threads wait up to 0.099 s"));
  EXPECT_THAT(notes, IsEmpty());
  setting.prices.push_back(late(2, 1'000'000, 101'000));
  EXPECT_THAT(advise_on({late_barrier()}, setting, notes), IsEmpty());
  EXPECT_THAT(notes,
              ElementsAre(HasSubstr("a thread waits 0.1 s of 1.1 s for the last one (barrier)")));
  // Where each thread has no processing unit, that is why they wait.
  notes.clear();
  setting.usable_pus = 1;
  EXPECT_EQ(advise_on({late_barrier()}, setting, notes).front().rule, "oversubscription");
  EXPECT_THAT(notes, IsEmpty());
}

}  // namespace
}  // namespace syncmeter
