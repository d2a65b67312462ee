// How late threads come that have the same work: measured on this machine, and taken for a site.
#include "driver/advise/equal_work.hpp"

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <gmock/gmock.h>

#include <cstdint>
#include <fstream>
#include <system_error>
#include <utility>
#include <vector>

#include "driver/advise/rules.hpp"
#include "driver/advise/run_delay.hpp"

namespace syncmeter {
namespace {

using ::testing::AllOf;
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
  const equal_work_lateness found = lateness_of_equal_work(machine, {pu, pu}, 2, work_ns, 0);
  EXPECT_GT(found.mean_ns, 1e5);
  EXPECT_EQ(found.is_disturbed, run_delay_reader().read().has_value()) << "where it is known";
}

TEST(lateness_of_equal_work, the_mean_piece_takes_as_long_as_a_fast_one_or_longer) {
  constexpr unsigned work_ns = 100'000;
  const topology machine = topology::of_this_machine();
  const int pu = machine.units().front().os;
  const auto found = lateness_of_equal_work(machine, {pu}, 1, work_ns, 0).narrow;
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].pu, pu);
  EXPECT_GT(found[0].fast_ns, work_ns / 10.0);
  EXPECT_GT(found[0].mean_ns, 0.9 * found[0].fast_ns);
}

TEST(slowed_by_pu, is_the_mean_of_each_beside_its_fastest_tenth) {
  std::vector<double> pieces(10, 100);
  pieces.push_back(210);
  pieces.push_back(90);
  std::vector<double> ascending;
  for (int i = 0; i < 10; ++i) ascending.push_back(50 + 10 * i);
  const auto found =
      slowed_by_pu({{3, pieces}, {5, ascending}, {6, std::vector<double>(9, 900)}}, 10);
  ASSERT_EQ(found.size(), 2U) << "nine pieces are too few for a mean";
  EXPECT_EQ(found[0].pu, 3);
  EXPECT_DOUBLE_EQ(found[0].fast_ns, 100);
  EXPECT_DOUBLE_EQ(found[0].mean_ns, 1300.0 / 12);
  EXPECT_EQ(found[1].pu, 5);
  EXPECT_DOUBLE_EQ(found[1].fast_ns, 60);
  EXPECT_DOUBLE_EQ(found[1].mean_ns, 95);
}

TEST(slowed_by_pu, has_no_mean_of_a_small_part_of_the_rounds) {
  const auto pus_of = [](std::size_t pieces, std::size_t rounds) {
    return slowed_by_pu({{3, std::vector<double>(pieces, 100)}}, rounds).size();
  };
  EXPECT_EQ(pus_of(19, 100), 0U);
  EXPECT_EQ(pus_of(20, 100), 1U);
  EXPECT_EQ(pus_of(99, 1000), 0U);
  EXPECT_EQ(pus_of(100, 1000), 1U);
}

TEST(lateness_of_equal_work, the_mean_is_over_ten_rounds_or_more) {
  const topology machine = topology::of_this_machine();
  const int pu = machine.units().front().os;
  EXPECT_GE(lateness_of_equal_work(machine, {pu}, 1, 1000, 0).rounds, 10U);
}

TEST(lateness_of_equal_work, a_thread_alone_is_never_late) {
  EXPECT_EQ(lateness_of_equal_work(topology::of_this_machine(), {}, 1, 1000, 0).mean_ns, 0);
}

TEST(lateness_of_equal_work, a_team_of_which_threads_are_lacking_ends) {
  // A new process, whose stacks are all new.
  const auto in_few_threads = [] {
    ::alarm(20);
    std::uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    pthread_attr_t stacks;
    ::pthread_attr_init(&stacks);
    ::pthread_attr_setstacksize(&stacks, 64U << 20U);
    ::pthread_setattr_default_np(&stacks);
    const rlimit few{pages * page + (300U << 20U), RLIM_INFINITY};
    ::setrlimit(RLIMIT_AS, &few);
    try {
      (void)lateness_of_equal_work(topology::of_this_machine(), {}, 16, 1000, 0);
    } catch (const std::system_error&) {
      ::_exit(7);
    }
    ::_exit(0);
  };
  EXPECT_EXIT(in_few_threads(), ::testing::ExitedWithCode(7), "");
}

TEST(lateness_beside, equal_work_is_that_of_the_nearest_work_for_as_long_as_the_sites) {
  const auto equal_work_us = [](const std::vector<price>& measured) {
    const auto beside =
        lateness_beside(late_barrier(), {.lateness_s = 0.1}, {.before_barrier_ns = 1e6}, measured);
    EXPECT_THAT(beside.runs_s, ElementsAre(0.1));
    std::vector<double> each;
    for (const double s : beside.equal_work_s) each.push_back(s * 1e6);
    return each;
  };
  EXPECT_THAT(equal_work_us({}), IsEmpty());
  EXPECT_THAT(equal_work_us({late(3, 1'000'000, 7)}), IsEmpty());
  EXPECT_THAT(equal_work_us({late(2, 1'000'000, 50), late(2, 9'000, 400), late(2, 1'000'000, 90)}),
              ElementsAre(DoubleEq(50), DoubleEq(90)));
  EXPECT_THAT(equal_work_us({late(2, 500'000, 30)}), ElementsAre(DoubleEq(60)));
  EXPECT_THAT(equal_work_us({late(2, 2'000'000, 30)}), ElementsAre(DoubleEq(30)));
  // Other work says nothing.
  EXPECT_THAT(equal_work_us({late(2, 400'000, 30), late(2, 20'000'000, 30)}), IsEmpty());
}

TEST(lateness_beside, what_others_disturb_is_left_out_where_enough_is_left) {
  site of = late_barrier();
  for (const double ms : {100.0, 110.0, 400.0, 120.0})
    of.cost_of_runs.push_back({.lateness_s = ms * 1e-3, .is_disturbed = ms > 300});
  std::vector<price> prices;
  for (int i = 0; i < 7; ++i) prices.push_back(late(2, 1'000'000, 10'000));
  prices.push_back(late(2, 1'000'000, 500'000));
  prices.back().is_disturbed = true;
  const meeting_pace pace{.before_barrier_ns = 1e6};
  beside_equal_work beside = lateness_beside(of, {}, pace, prices);
  EXPECT_TRUE(beside.is_undisturbed);
  EXPECT_THAT(beside.runs_s, ElementsAre(0.1, 0.11, 0.12));
  EXPECT_EQ(beside.equal_work_s.size(), 7U);
  EXPECT_TRUE(beside.is_longer());
  EXPECT_FALSE(needs_undisturbed({of}, 1.1, prices, 0));
  // Of two runs, or six measurements, no order tells anything.
  of.cost_of_runs[0].is_disturbed = true;
  beside = lateness_beside(of, {}, pace, prices);
  EXPECT_FALSE(beside.is_undisturbed);
  EXPECT_EQ(beside.runs_s.size(), 4U);
  EXPECT_EQ(beside.equal_work_s.size(), 8U);
  EXPECT_TRUE(needs_undisturbed({of}, 1.1, prices, 9));
  EXPECT_FALSE(needs_undisturbed({of}, 1.1, {}, 0)) << "there is no equal work";
  of.cost_of_runs[0].is_disturbed = false;
  prices[0].is_disturbed = true;
  EXPECT_FALSE(lateness_beside(of, {}, pace, prices).is_undisturbed);
}

TEST(lateness_beside, equal_work_is_slowed_where_a_unit_takes_longer_at_one_time_than_at_another) {
  std::vector<price> prices(3, late(2, 1'000'000, 10'000));
  const auto slowed = [&] {
    return lateness_beside(late_barrier(), {}, {.before_barrier_ns = 1e6}, prices).times_slowed;
  };
  EXPECT_EQ(slowed(), 1) << "of older files it is not known";
  prices[0].narrow = {{.pu = 0, .fast_ns = 1e6, .mean_ns = 1.1e6}};
  EXPECT_DOUBLE_EQ(slowed(), 1.1);
  prices[1].narrow = {{.pu = 0, .fast_ns = 1.4e6, .mean_ns = 1.5e6}};
  EXPECT_DOUBLE_EQ(slowed(), 1.5);
  prices[1].narrow[0].mean_ns = 9e6;
  EXPECT_DOUBLE_EQ(slowed(), 2) << "others had its processor";
  // Units of another kind of core are not slowed by anybody.
  prices[1].narrow[0] = {.pu = 1, .fast_ns = 1.8e6, .mean_ns = 1.81e6};
  EXPECT_DOUBLE_EQ(slowed(), 1.1);
  prices[0].narrow.push_back({.pu = 1, .fast_ns = 1.5e6, .mean_ns = 1.6e6});
  EXPECT_DOUBLE_EQ(slowed(), 1.81 / 1.5) << "the one that is slowed most";
  // Of work half as long.
  prices[2] = late(2, 500'000, 10'000);
  prices[2].narrow = {{.pu = 0, .fast_ns = 0.4e6, .mean_ns = 0.5e6}};
  EXPECT_DOUBLE_EQ(slowed(), 1.81 / 1.5) << "the nearest work alone counts";
}

TEST(by_neighbours, one_thread_of_several_makes_all_others_wait) {
  beside_equal_work beside;
  EXPECT_EQ(beside.by_neighbours_s(1, 4), 0);
  beside.times_slowed = 2;
  EXPECT_DOUBLE_EQ(beside.by_neighbours_s(1, 2), 0.25);
  EXPECT_DOUBLE_EQ(beside.by_neighbours_s(1, 4), 0.375);
}

TEST(needs_undisturbed, three_turns_of_which_none_is_without_others_are_the_last) {
  site of = late_barrier();
  for (int run = 0; run < 6; ++run)
    of.cost_of_runs.push_back({.lateness_s = 0.1, .is_disturbed = true});
  std::vector<price> prices(8, late(2, 1'000'000, 10'000));
  EXPECT_TRUE(needs_undisturbed({of}, 1.1, prices, 2));
  EXPECT_FALSE(needs_undisturbed({of}, 1.1, prices, 3));
  of.cost_of_runs.back().is_disturbed = false;
  EXPECT_TRUE(needs_undisturbed({of}, 1.1, prices, 3));
  for (price& each : prices) each.is_disturbed = true;
  EXPECT_FALSE(needs_undisturbed({of}, 1.1, prices, 3));
}

TEST(mechanism_beside, disturbed_runs_stay_beside_measurements_of_which_it_is_not_known) {
  site of = late_barrier();
  for (const double ms : {100.0, 110.0, 400.0, 120.0})
    of.cost_of_runs.push_back({.mechanism_s = ms * 1e-3, .is_disturbed = ms > 300});
  price timed = late(2, 1'000'000, 50);
  timed.what.op = "barrier_after_work";
  timed.what = timed_point(timed.what);
  const auto beside =
      mechanism_beside(of, {}, {.before_barrier_ns = 1e6}, std::vector<price>(7, timed));
  EXPECT_THAT(beside.runs_s, ElementsAre(0.1, 0.11, 0.4, 0.12));
  EXPECT_FALSE(beside.is_undisturbed);
}

TEST(first_round_apart, what_new_threads_do_on_one_processor_does_not_count) {
  EXPECT_EQ(first_round_apart({{4, 5, 4}, {5, 4, 5}}), 0U);
  EXPECT_EQ(first_round_apart({{4, 4, 4, 4}, {4, 4, 5, 4}}), 2U);
  EXPECT_EQ(first_round_apart({{4, 4, 4}, {5, 5, 5}, {4, 5, 6}}), 2U);
  EXPECT_EQ(first_round_apart({{4, 4}, {4, 4}}), 0U) << "they share it all the time";
  EXPECT_EQ(first_round_apart({{4, 5}}), 0U);
}

TEST(is_disturbed, threads_had_no_processor_for_a_twentieth_of_the_time) {
  EXPECT_FALSE(is_disturbed(0.09, 2));
  EXPECT_TRUE(is_disturbed(0.11, 2));
  EXPECT_FALSE(is_disturbed(std::nullopt, 2)) << "the system does not tell";
}

TEST(run_delay_in, the_second_number_is_the_time_without_a_processor) {
  EXPECT_EQ(run_delay_in("189061 2242754 2\n"), 2242754);
  EXPECT_EQ(run_delay_in("189061 0 2\n"), 0);
  EXPECT_EQ(run_delay_in(""), std::nullopt);
  EXPECT_EQ(run_delay_in("0 0 0\n"), std::nullopt);
  EXPECT_EQ(run_delay_in("189061 \n"), std::nullopt);
}

TEST(mechanism_beside, what_barriers_take_after_the_last_arrival_does_not_grow_with_the_work) {
  const auto equal_work_us = [](unsigned work_ns) {
    price timed = late(2, work_ns, 50);
    timed.what.op = "barrier_after_work";
    timed.what = timed_point(timed.what);
    const auto beside =
        mechanism_beside(late_barrier(), {.mechanism_s = 0.1}, {.before_barrier_ns = 1e6}, {timed});
    std::vector<double> each;
    for (const double s : beside.equal_work_s) each.push_back(s * 1e6);
    return each;
  };
  EXPECT_THAT(equal_work_us(1'000'000), ElementsAre(DoubleEq(50)));
  EXPECT_THAT(equal_work_us(500'000), ElementsAre(DoubleEq(50)));
  EXPECT_THAT(equal_work_us(10'000), IsEmpty());
}

TEST(add_cost_of_run, a_site_is_found_again) {
  std::vector<site> sites{late_barrier(), late_barrier()};
  sites[1].offset = 7;
  std::vector<site> of_run{late_barrier()};
  of_run[0].times->lateness.sum_ns *= 3;
  const auto run_of = [](double run_delay_s, double user_s, double system_s) {
    // To be taken off a processor for a moment disturbs nothing.
    return program_run{.arm = "time",
                       .wall_s = 1,
                       .user_s = user_s,
                       .system_s = system_s,
                       .involuntary_switches = 1000,
                       .run_delay_s = run_delay_s};
  };
  add_cost_of_run(sites, of_run, run_of(0, 1, 0), 4);
  ASSERT_EQ(sites[0].cost_of_runs.size(), 1U);
  EXPECT_DOUBLE_EQ(sites[0].cost_of_runs[0].lateness_s, 0.3);
  EXPECT_EQ(sites[0].cost_of_runs[0].run, 4U);
  EXPECT_EQ(sites[0].cost_of_runs[0].wall_s, 1);
  EXPECT_FALSE(sites[0].cost_of_runs[0].is_disturbed);
  // Two threads that waited 0.15 s of 2 s for a processor.
  add_cost_of_run(sites, of_run, run_of(0.15, 2, 0), 5);
  EXPECT_TRUE(sites[0].cost_of_runs[1].is_disturbed);
  // The same of thirty threads, of which others than these two may have waited.
  add_cost_of_run(sites, of_run, run_of(0.15, 30, 0), 6);
  EXPECT_FALSE(sites[0].cost_of_runs[2].is_disturbed);
  // Which may be in the system most of the time.
  add_cost_of_run(sites, of_run, run_of(0.15, 1, 29), 7);
  EXPECT_FALSE(sites[0].cost_of_runs[3].is_disturbed);
  EXPECT_THAT(sites[1].cost_of_runs, IsEmpty());
}

TEST(beside_equal_work, few_runs_must_each_be_longer_and_many_by_their_ranks) {
  const auto is_longer = [](std::vector<double> runs, std::vector<double> equal) {
    return beside_equal_work{.runs_s = std::move(runs), .equal_work_s = std::move(equal)}
        .is_longer();
  };
  EXPECT_TRUE(is_longer({1}, {}));
  EXPECT_TRUE(is_longer({9}, {1, 2, 3, 4, 5}));
  EXPECT_FALSE(is_longer({9}, {1, 2, 3, 4, 9}));
  EXPECT_TRUE(is_longer({8, 9}, {1, 2, 3, 4, 5}));
  EXPECT_FALSE(is_longer({4.5, 9}, {1, 2, 3, 4, 5}));
  // One disturbed equal work of twelve hides no imbalance, and two do: five and ten of the 60 pairs
  // are the wrong way round, and 8 at most come by chance once in a hundred times.
  const std::vector<double> runs{21, 22, 23, 24, 25};
  EXPECT_TRUE(is_longer(runs, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 99}));
  EXPECT_FALSE(is_longer(runs, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 98, 99}));
  EXPECT_FALSE(is_longer({3.5, 22, 23}, {1, 2, 3, 4, 5, 6, 7}));
}

TEST(beside_equal_work, advice_is_less_sure_beside_short_equal_work_and_of_few_runs) {
  beside_equal_work beside{.runs_s = {5, 6, 7, 8, 9}, .equal_work_s = {1, 2, 3, 4}};
  EXPECT_EQ(beside.why_unsure(10), "");
  beside.measured_s = 2;
  EXPECT_EQ(beside.why_unsure(10), "");
  EXPECT_THAT(beside.why_unsure(20),
              HasSubstr("Each of these was measured for 2 s only, as --budget has room for no "
                        "more"));
  beside.runs_s = {9};
  EXPECT_EQ(beside.why_unsure(10),
            " Chance alone has so few runs longer in one of 5 looks; a longer --budget has more.");
  beside.equal_work_s.clear();
  EXPECT_EQ(beside.why_unsure(10), "");
}

TEST(advise_on, imbalance_beside_short_equal_work_says_so) {
  std::vector<std::string> notes;
  site of = late_barrier();
  advice_setting setting{.wall_s = 10};
  of.cost_of_runs = {{.lateness_s = 1}};
  setting.prices = {late(2, 10'000'000, 10)};
  setting.prices.front().equal_work_s = 0.5;
  const auto all = advise_on({of}, setting, notes);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_THAT(all.front().text, AllOf(HasSubstr("was measured for 0.5 s only"),
                                      HasSubstr("Chance alone has so few runs longer")));
}

/// What is said of the barrier where its threads came so late in each timed run, and those with
/// equal work in each of their measurements.
std::vector<advice> advice_of(const std::vector<double>& late_ms,
                              const std::vector<double>& equal_ms,
                              std::vector<std::string>& notes) {
  site of = late_barrier();
  advice_setting setting{.wall_s = 1.1};
  for (const double ms : late_ms) of.cost_of_runs.push_back({.lateness_s = ms * 1e-3});
  for (const double ms : equal_ms) setting.prices.push_back(late(2, 1'000'000, ms * 1e3));
  return advise_on({of}, setting, notes);
}

TEST(advise_on, a_disturbance_that_comes_and_goes_is_no_imbalance) {
  std::vector<std::string> notes;
  EXPECT_THAT(advice_of({100, 12, 90}, {10, 15, 95, 14, 13, 11, 12}, notes), IsEmpty());
  EXPECT_THAT(notes,
              ElementsAre(HasSubstr(
                  "a thread waits 0.012 s to 0.1 s of 1.1 s for the last one (barrier) in 3 timed "
                  "runs, and threads with equal work 0.01 s to 0.095 s in 7 measurements in turn "
                  "with the program, which is not shown to be less:")));
}

TEST(advise_on, what_is_late_in_each_run_is_imbalance_beside_a_disturbance) {
  std::vector<std::string> notes;
  // One run without a disturbance, and one of equal work with one.
  const auto all = advice_of({100, 210, 120, 300, 90}, {10, 200, 15, 11, 12, 13, 14, 16}, notes);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all.front().rule, "imbalance");
  EXPECT_DOUBLE_EQ(all.front().at_most_s, 0.3);
  EXPECT_THAT(all.front().text,
              HasSubstr("A thread waits 0.12 s of 1.1 s (the median of 5 timed runs, 0.09 s to 0.3 "
                        "s); perfect balance saves at most that, and 0.3 s of the timed run with "
                        "the greatest share of waits, 1.1 s. With equal work threads wait 0.01 s "
                        "to 0.2 s on this machine, in turn with the program."));
  EXPECT_THAT(notes, IsEmpty());
}

TEST(advise_on, what_neighbours_on_a_core_may_bring_is_no_imbalance) {
  // The second unit takes so long now and then, and the first one always.
  const auto rules_of = [](double slowed, double other_core, std::vector<std::string>& notes) {
    site of = late_barrier();
    advice_setting setting{.wall_s = 1.1};
    for (const double ms : {190, 200, 210}) of.cost_of_runs.push_back({.lateness_s = ms * 1e-3});
    for (int i = 0; i < 7; ++i) {
      setting.prices.push_back(late(2, 1'000'000, 80'000 + i));
      setting.prices.back().narrow = {
          {.pu = 0, .fast_ns = other_core * 1e6, .mean_ns = other_core * 1e6},
          {.pu = 1, .fast_ns = 1e6, .mean_ns = (i == 3 ? slowed : 1) * 1e6}};
    }
    return advise_on({of}, setting, notes);
  };
  std::vector<std::string> notes;
  for (const double other_core : {1.0, 1.8}) {
    const auto all = rules_of(1.4, other_core, notes);
    ASSERT_EQ(all.size(), 1U) << "that a unit is always slow is no neighbour's";
    EXPECT_EQ(all.front().rule, "imbalance");
    EXPECT_THAT(notes, IsEmpty());
  }
  EXPECT_THAT(rules_of(1.8, 1, notes), IsEmpty());
  EXPECT_THAT(
      notes,
      ElementsAre(HasSubstr(
          "a thread waits 0.19 s to 0.21 s of 1.1 s for the last one (barrier), longer than with "
          "equal work (0.08 s). But on the same processing unit such work takes up to 1.8 times as "
          "long at one time as at another, as beside others on its core, which slow one thread "
          "more than another by what it does: up to 0.24 s may be theirs")));
}

TEST(advise_on, neighbours_make_threads_late_while_their_team_works_alone) {
  advice_setting setting{.wall_s = 1.1};
  for (int i = 0; i < 7; ++i) {
    setting.prices.push_back(late(2, 1'000'000, 10'000 + i));
    setting.prices.back().narrow = {{.pu = 0, .fast_ns = 1e6, .mean_ns = 1.8e6}};
  }
  const auto in_regions = [](double work_s, double late_s) {
    site of{.kind = "region", .module = "/bin/app", .team = 2, .count = 1000, .threads = 1};
    of.times = site_times{.timed = 1000, .threads = 2, .inside_ns = 2e9 * work_s};
    of.times->lateness = {.sum_ns = 2e9 * late_s, .median_ns = 1e6 * late_s};
    return of;
  };
  std::vector<std::string> notes;
  const auto rules_of = [&](const std::vector<site>& sites) {
    std::vector<std::string> rules;
    for (const advice& each : advise_on(sites, setting, notes)) rules.push_back(each.rule);
    return rules;
  };
  // Of 0.7 s and of 0.5 s two ninths may be theirs.
  site region = in_regions(0.55, 0.15);
  EXPECT_THAT(rules_of({region}), IsEmpty());
  EXPECT_THAT(notes, ElementsAre(HasSubstr("up to 0.16 s may be theirs")));
  notes.clear();
  for (price& each : setting.prices) each.what.section_ns = 350'000;
  region = in_regions(0.35, 0.15);
  EXPECT_THAT(rules_of({region}), ElementsAre("imbalance"));
  EXPECT_THAT(notes, IsEmpty());
  // The usual run takes 0.2 s more than the first one, which may be there.
  region.cost_of_runs = {{.lateness_s = 0.15, .wall_s = 1.1},
                         {.lateness_s = 0.15, .wall_s = 1.3},
                         {.lateness_s = 0.15, .wall_s = 1.3}};
  EXPECT_THAT(rules_of({region}), IsEmpty());
  // Barriers are in all regions of their team.
  for (price& each : setting.prices) each.what.section_ns = 1'000'000;
  site barrier = late_barrier();
  for (int run = 0; run < 3; ++run) barrier.cost_of_runs.push_back({.lateness_s = 0.15});
  EXPECT_THAT(rules_of({barrier, in_regions(0.2, 0), in_regions(0.3, 0)}),
              ElementsAre("imbalance"));
  EXPECT_THAT(rules_of({barrier, in_regions(0.4, 0), in_regions(0.3, 0)}), IsEmpty());
  site endless = in_regions(0.2, 0);
  ++endless.count;
  EXPECT_THAT(rules_of({barrier, endless}), IsEmpty()) << "one region of its site has not returned";
  site other = in_regions(0.2, 0);
  other.times.reset();
  EXPECT_THAT(rules_of({barrier, in_regions(0.2, 0), other}), IsEmpty()) << "for long, perhaps";
  other.team = 4;
  EXPECT_THAT(rules_of({barrier, in_regions(0.2, 0), other}), ElementsAre("imbalance"));
}

TEST(advise_on, of_two_runs_the_less_late_one_is_compared_with_neighbours) {
  site of = late_barrier();
  advice_setting setting{.wall_s = 1.1};
  std::vector<std::string> notes;
  for (int i = 0; i < 7; ++i) {
    setting.prices.push_back(late(2, 1'000'000, 10'000 + i));
    setting.prices.back().narrow = {{.pu = 0, .fast_ns = 1e6, .mean_ns = 1.8e6}};
  }
  const auto number = [&](double first_s, double second_s) {
    of.cost_of_runs = {{.lateness_s = first_s}, {.lateness_s = second_s}};
    return advise_on({of}, setting, notes).size();
  };
  EXPECT_EQ(number(0.4, 0.15), 0U) << "0.24 s may be of neighbours, less than the middle of both";
  EXPECT_EQ(notes.size(), 1U);
  EXPECT_EQ(number(0.4, 0.25), 1U);
  EXPECT_THAT(advise_on({of}, setting, notes).at(0).text,
              HasSubstr("A thread waits 0.25 s of 1.1 s (the less of 2 timed runs, 0.25 s to 0.4 "
                        "s);"));
}

TEST(advise_on, as_late_as_equal_work_is_no_imbalance) {
  advice_setting setting{.wall_s = 1.1, .prices = {late(2, 1'000'000, 70'000)}};
  std::vector<std::string> notes;
  const std::vector<advice> all = advise_on({late_barrier()}, setting, notes);
  ASSERT_EQ(all.size(), 1);
  EXPECT_EQ(all.front().rule, "imbalance");
  EXPECT_THAT(all.front().text, HasSubstr("With equal work threads wait 0.07 s"));
  EXPECT_THAT(notes, IsEmpty());
  // Later, but not by what is worth advice.
  setting.prices.front() = late(2, 1'000'000, 90'000);
  EXPECT_THAT(advise_on({late_barrier()}, setting, notes), IsEmpty());
  EXPECT_EQ(notes.size(), 1U);
  notes.clear();
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

TEST(is_timed_as, a_price_is_of_the_same_op_team_and_interface) {
  point timed = timed_point({.op = "barrier_after_work", .lanes = 2});
  site barrier = late_barrier();
  EXPECT_TRUE(is_timed_as(timed, barrier));
  barrier.kind = "region";
  EXPECT_FALSE(is_timed_as(timed, barrier));
  barrier.kind = "barrier_wait";
  EXPECT_FALSE(is_timed_as(timed, barrier));
  timed.backend = "posix";
  EXPECT_TRUE(is_timed_as(timed, barrier));
  barrier.times->threads = 3;
  EXPECT_FALSE(is_timed_as(timed, barrier));
}

/// What is said of 1,000 barriers of 1.1 s whose threads are so long behind the last arrival in
/// each timed run, beside as many around equal work, where one by itself takes so many ns.
std::vector<advice> advice_of_barriers(const std::vector<double>& runs_ms,
                                       const std::vector<double>& equal_ms, double price_ns,
                                       std::vector<std::string>& notes) {
  site of = late_barrier();
  std::swap(of.times->lateness, of.times->mechanism);
  advice_setting setting{.wall_s = 1.1};
  for (const double ms : runs_ms) of.cost_of_runs.push_back({.mechanism_s = ms * 1e-3});
  price one = late(2, 1'000'000, price_ns);
  one.what.op = "barrier_after_work";
  setting.prices.push_back(one);
  one.what = timed_point(one.what);
  for (const double ms : equal_ms) {
    one.cost_ns.value = ms * 1e3;
    setting.prices.push_back(one);
  }
  return advise_on({of}, setting, notes);
}

TEST(advise_on, barriers_that_a_disturbance_makes_long_are_not_advised) {
  std::vector<std::string> notes;
  EXPECT_THAT(advice_of_barriers({100, 12, 90}, {10, 15, 95, 14, 13, 11, 12}, 300, notes),
              IsEmpty());
  EXPECT_THAT(notes,
              ElementsAre(HasSubstr(
                  "1,000 barriers take 0.012 s to 0.1 s of 1.1 s beyond what threads wait for the "
                  "last one, in 3 timed runs. As many around equal work take 0.01 s to 0.095 s in "
                  "7 measurements in turn with the program, and one by itself 300 ns:")));
  // Longer, but not by what is worth advice.
  notes.clear();
  EXPECT_THAT(advice_of_barriers({100, 101, 102}, {90, 91, 92, 93, 94, 95, 96}, 300, notes),
              IsEmpty());
  EXPECT_EQ(notes.size(), 1U);
}

std::vector<advice> advised_alone(const site& of, const advice_setting& setting) {
  std::vector<std::string> notes;
  return advise_on({of}, setting, notes);
}

TEST(advise_on, what_others_with_the_processors_may_bring_is_no_cause) {
  // Of two units for 1.1 s others had 40 %, 0.88 s: so long one thread may have lacked its own, and
  // the other one waited, 0.44 s in the mean of both.
  const auto rule_of = [](double site_cost::* part, double ms, bool is_disturbed,
                          const std::vector<price>& prices = {}) -> std::string {
    site of = late_barrier();
    if (part == &site_cost::mechanism_s) std::swap(of.times->lateness, of.times->mechanism);
    site_cost run{.is_disturbed = is_disturbed};
    run.*part = ms * 1e-3;
    of.cost_of_runs = {run};
    std::vector<std::string> notes;
    const auto all = advise_on(
        {of}, {.wall_s = 1.1, .prices = prices, .others_share = 0.4, .allowed_pus = 2}, notes);
    return all.empty() ? "none" : all.front().rule;
  };
  EXPECT_EQ(rule_of(&site_cost::lateness_s, 430, true), "none");
  EXPECT_EQ(rule_of(&site_cost::lateness_s, 450, true), "imbalance");
  EXPECT_EQ(rule_of(&site_cost::lateness_s, 430, false), "imbalance");
  EXPECT_EQ(rule_of(&site_cost::mechanism_s, 430, true), "none");
  EXPECT_EQ(rule_of(&site_cost::mechanism_s, 450, true), "barriers");
  // Of a single run by what others had.
  EXPECT_TRUE(advised_alone(late_barrier(), {.wall_s = 1.1, .others_share = 0.4, .allowed_pus = 2})
                  .empty());
  EXPECT_FALSE(
      advised_alone(late_barrier(), {.wall_s = 1.1, .others_share = 0.05, .allowed_pus = 2})
          .empty());
  // A price stands, whatever others do.
  price one = late(2, 1'000'000, 30'000);
  one.what.op = "barrier_after_work";
  EXPECT_EQ(rule_of(&site_cost::mechanism_s, 430, true, {one}), "barriers");
}

/// Of 1.1 s, a barrier at which a thread waits 0.7 s of each timed run, disturbed as they are.
site barrier_of_runs(std::size_t runs) {
  site of = late_barrier();
  of.times->lateness.sum_ns = 2 * 0.7e9;
  for (std::size_t i = 0; i < runs; ++i)
    of.cost_of_runs.push_back({.lateness_s = 0.7, .is_disturbed = true});
  return of;
}

TEST(advise_on, others_bring_no_more_than_threads_were_without_a_processor) {
  // Of 32 units others had two all the time, and each thread had its own.
  advice_setting setting{
      .wall_s = 1.1, .usable_pus = 32, .others_share = 0.06, .allowed_pus = 32, .run_delay_s = 0.1};
  for (const std::size_t runs : {0U, 1U, 3U})
    EXPECT_EQ(advised_alone(barrier_of_runs(runs), setting).at(0).rule, "imbalance") << runs;
  setting.run_delay_s = 1.6;
  for (const std::size_t runs : {0U, 1U, 3U})
    EXPECT_THAT(advised_alone(barrier_of_runs(runs), setting), IsEmpty()) << runs;
  // A quota is none of the units that others have their share of.
  setting.usable_pus = 2;
  EXPECT_THAT(advised_alone(barrier_of_runs(1), setting), IsEmpty());
  // Threads may be without one where others have little of all.
  setting.others_share = 0.045;
  EXPECT_THAT(advised_alone(barrier_of_runs(0), setting), IsEmpty());
}

TEST(advise_on, equal_work_in_turn_decides_beside_others) {
  std::vector<price> equal_work(7, late(2, 400'000, 10'000));
  for (price& each : equal_work) each.is_disturbed = true;
  const advice_setting setting{.wall_s = 1.1,
                               .prices = equal_work,
                               .others_share = 0.04,
                               .allowed_pus = 64,
                               .run_delay_s = 1.6};
  std::vector<std::string> notes;
  const auto all = advise_on({barrier_of_runs(3)}, setting, notes);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all.front().rule, "imbalance");
  EXPECT_THAT(notes, IsEmpty());
}

TEST(advise_on, of_two_runs_each_takes_longer_by_what_is_worth_saying) {
  std::vector<std::string> notes;
  EXPECT_THAT(advice_of_barriers({414, 0.3}, {0.17, 0.18, 0.19, 0.18, 0.17}, 300, notes),
              IsEmpty());
  EXPECT_EQ(notes.size(), 1U);
  EXPECT_EQ(advice_of_barriers({414, 40}, {0.17, 0.18, 0.19, 0.18, 0.17}, 300, notes).size(), 1U);
}

TEST(advise_on, barriers_that_take_longer_than_around_equal_work_are_advised) {
  std::vector<std::string> notes;
  const auto all = advice_of_barriers({100, 120, 90}, {10, 15, 35, 14, 13, 11, 12}, 300, notes);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all.front().rule, "barriers");
  EXPECT_THAT(notes, IsEmpty());
}

TEST(advise_on, what_fewer_barriers_save_is_as_uncertain_as_the_timed_runs_differ) {
  std::vector<std::string> notes;
  const auto at_most_ms = [&](const std::vector<double>& runs_ms) {
    const auto all = advice_of_barriers(runs_ms, {1, 1, 3, 1, 1, 1, 2}, 300, notes);
    return all.size() == 1 ? 1e3 * all.front().at_most_s : 0;
  };
  EXPECT_DOUBLE_EQ(at_most_ms({120}), 120);
  EXPECT_DOUBLE_EQ(at_most_ms({140, 120, 90, 100, 110}), 140);
  // No more than the run.
  EXPECT_DOUBLE_EQ(at_most_ms({1300, 1250, 1290, 1200, 1280}), 1100);
}

/// Timed runs with what threads wait in each, at the barrier for the last one or beyond it.
std::vector<site_cost> runs_of(double site_cost::* part,
                               const std::vector<std::pair<double, double>>& waits_and_wall_s) {
  std::vector<site_cost> runs;
  for (const auto& [waits_s, wall_s] : waits_and_wall_s) {
    runs.push_back({.wall_s = wall_s});
    runs.back().*part = waits_s;
  }
  return runs;
}

TEST(advise_on, perfect_balance_saves_at_most_what_threads_wait_in_any_run) {
  site of = late_barrier();
  of.cost_of_runs = runs_of(&site_cost::lateness_s, {{0.6, 1.3}, {0.3, 1}, {0.3, 1}});
  advice_setting setting{.wall_s = 1.3, .plain_wall_s = {1, 1, 1.3}};
  std::vector<std::string> notes;
  const auto first = [&] { return advise_on({of}, setting, notes).at(0); };
  EXPECT_DOUBLE_EQ(first().at_most_s, 0.6) << "of a run of 1 s 0.3 s, as it has 0.3 s more";
  EXPECT_DOUBLE_EQ(first().run_s, 1.3);
  of.cost_of_runs[0].lateness_s = 0.5;
  EXPECT_NEAR(first().at_most_s, 0.6, 1e-9)
      << "0.3 s that the longest run takes beyond a short one";
  EXPECT_THAT(first().text, HasSubstr("A thread waits 0.3 s of 1.3 s (the median of 3 timed runs, "
                                      "0.3 s to 0.5 s); perfect balance saves at most that, and "
                                      "0.6 s of the longest run as it is, 1.3 s."));
  setting.plain_wall_s = {1, 1, 1.01};
  EXPECT_DOUBLE_EQ(first().at_most_s, 0.5);
  // What takes time in one run of three is no advice.
  of.cost_of_runs = runs_of(&site_cost::lateness_s, {{0.6, 1.3}, {0.01, 1}, {0.01, 1}});
  EXPECT_THAT(advise_on({of}, setting, notes), IsEmpty());
}

TEST(advise_on, whatever_makes_threads_wait_its_bound_is_of_the_run_with_most_of_that) {
  site of = late_barrier();
  std::swap(of.times->lateness, of.times->mechanism);
  of.cost_of_runs = runs_of(&site_cost::mechanism_s, {{0.2, 1}, {0.7, 1.6}, {0.2, 1}});
  advice_setting setting{.wall_s = 1, .plain_wall_s = {1, 1, 1.4}, .usable_pus = 1};
  std::vector<std::string> notes;
  const auto first = [&](const std::string& rule) {
    const auto all =
        advise_on({of, {.kind = "create", .module = "libgomp.so", .count = 1000}}, setting, notes);
    EXPECT_EQ(all.at(0).rule, rule);
    EXPECT_THAT(all.at(0).text, HasSubstr(", and 0.7 s of the timed run with the greatest "
                                          "share of waits, 1.6 s."));
    EXPECT_DOUBLE_EQ(all.at(0).at_most_s, 0.7);
    EXPECT_DOUBLE_EQ(all.at(0).run_s, 1.6);
  };
  first("oversubscription");
  setting.usable_pus = 2;
  first("barriers");
  of.kind = "barrier_wait";
  first("sleeping");
  of.kind = "region";
  first("nested");
}

TEST(advise_on, a_bound_is_of_the_run_of_which_most_is_saved) {
  site of = late_barrier();
  of.cost_of_runs = runs_of(&site_cost::lateness_s, {{0.6, 1}, {0.7, 1.6}, {0.6, 1}});
  std::vector<std::string> notes;
  const advice found = advise_on({of}, {.wall_s = 1}, notes).at(0);
  EXPECT_DOUBLE_EQ(found.share_of_run(), 0.6) << "0.7 s of 1.6 s are less";
}

TEST(advise_on, a_run_in_which_others_had_the_processors_makes_no_bound_where_enough_are_without) {
  site of = late_barrier();
  std::swap(of.times->lateness, of.times->mechanism);
  of.cost_of_runs =
      runs_of(&site_cost::mechanism_s, {{0.2, 1}, {0.7, 1.6}, {0.2, 1}, {0.6, 1.5}, {0.26, 1}});
  of.cost_of_runs[1].is_disturbed = true;
  std::vector<std::string> notes;
  const auto first = [&] { return advise_on({of}, {.wall_s = 1}, notes).at(0); };
  EXPECT_DOUBLE_EQ(first().at_most_s, 0.6);
  EXPECT_THAT(first().text, HasSubstr("They take 0.23 s of 1 s"));
  of.cost_of_runs[3].is_disturbed = true;
  EXPECT_DOUBLE_EQ(first().at_most_s, 0.26);
  EXPECT_DOUBLE_EQ(first().run_s, 1);
  EXPECT_THAT(first().text, HasSubstr("They take 0.2 s of 1 s"));
  of.cost_of_runs[4].is_disturbed = true;
  EXPECT_DOUBLE_EQ(first().at_most_s, 0.7) << "of two runs no median is known";
}

TEST(advise_on, no_timed_run_takes_more_than_the_run) {
  std::vector<std::string> notes;
  const auto all = advice_of({4000, 300, 200}, {1, 1, 3, 1, 1, 1, 2}, notes);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_THAT(all.front().text, HasSubstr("(the median of 3 timed runs, 0.2 s to 1.1 s)"));
}

TEST(advise_on, barriers_whose_price_is_worth_it_are_advised_also_beside_equal_work_as_long) {
  std::vector<std::string> notes;
  const auto all = advice_of_barriers({100, 100, 100}, {100, 100, 100}, 50'000, notes);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all.front().rule, "barriers");
  EXPECT_DOUBLE_EQ(all.front().at_least_s, 0.05);
}

}  // namespace
}  // namespace syncmeter
