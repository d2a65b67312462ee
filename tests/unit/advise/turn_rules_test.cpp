// When threads that wait for each other are said to take turns, and how much less may be saved.
#include "driver/advise/turn_rules.hpp"

#include <gmock/gmock.h>

namespace syncmeter::turn_rules_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// Each thread's calls are timed, and take as long until the signal and from there on.
site waiting(const std::string& kind, std::uint64_t count, unsigned threads, double late_ns,
             double wake_ns) {
  const auto sum = static_cast<double>(count);
  site of{.kind = kind,
          .module = "/bin/app",
          .count = count,
          .threads = threads,
          .times = site_times{.timed = count, .lateness = {.sum_ns = late_ns * sum}}};
  (kind == "cond_wait" ? of.times->mechanism : of.times->call) = {.sum_ns = wake_ns * sum,
                                                                  .median_ns = wake_ns};
  return of;
}

/// For signals under a lock that has this number.
site signalled(std::uint64_t lock, double late_ns, double wake_ns) {
  site of = waiting("cond_wait", 10'000, 1, late_ns, wake_ns);
  of.locks[lock] = {.count = of.count, .timed = of.count};
  return of;
}

/// Two threads take each lock; the run takes a second.
std::vector<advice> advise_with(const std::vector<site>& sites,
                                const std::vector<advice>& advised = {}) {
  advice_setting setting{.wall_s = 1, .usable_pus = 2};
  for (std::uint64_t number : {1U, 2U})
    setting.objects.push_back({.number = number, .kind = "mutex", .ids = {}, .threads = {0, 1}});
  return advise_on_turns(sites, setting, advised);
}

TEST(advise_on_turns, who_waits_for_the_other_at_each_item_hands_over_more_at_a_time) {
  // In the mean 0.3 + 0.4 s and 0.25 + 0.5 s wait: together more than one of the two.
  const auto all = advise_with({signalled(1, 30'000, 40'000), signalled(1, 25'000, 50'000)});
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].rule, "handoffs");
  EXPECT_EQ(all[0].site_id, 2U);
  EXPECT_THAT(all[0].more_ids, ElementsAre(1));
  // 0.9 s until they are awake and 0.25 s in which one could work while the other does.
  EXPECT_NEAR(all[0].at_most_s, 1, 1e-9);
  EXPECT_THAT(all[0].text, AllOf(HasSubstr("2 threads wait 20,000 times for a signal"),
                                 HasSubstr("from the signal it takes 45 us"),
                                 HasSubstr("saves at most 1 s of 1 s.")));
}

/// Signals that a function of this name sends for condition 3, whose lock is 1.
site sent_by(const std::string& function) {
  site of{.kind = "signal", .module = "/usr/bin/python3"};
  of.frames = {{.function = function, .file = {}}};
  of.conditions[3] = {.lock = 1, .signals = 100};
  return of;
}
/// For condition 3, by so many threads.
site waiting_for_interpreter(unsigned threads, double late_ns, double wake_ns) {
  site of = waiting("cond_wait", 100, threads, late_ns, wake_ns);
  of.conditions[3] = {.lock = 1, .calls = 100, .waits = 100};
  for (unsigned n = 0; n < threads; ++n) of.conditions[3].waiters.insert(n);
  return of;
}

TEST(advise_on_turns, threads_that_wait_for_pythons_interpreter_are_said_to) {
  // 3 s of four threads, which two processing units would run in half of a second.
  const site waits = waiting_for_interpreter(4, 30e6, 0);
  for (const char* const function : {"drop_gil", "drop_gil_impl", "PyEval_SaveThread"}) {
    const auto all = advise_with({sent_by(function), waits});
    ASSERT_THAT(all, SizeIs(1));
    EXPECT_EQ(all[0].rule, "interpreter");
    EXPECT_EQ(all[0].site_id, 2U);
    EXPECT_NEAR(all[0].at_most_s, 0.5, 1e-9);
    EXPECT_NEAR(all[0].seen_share, 0.75, 1e-9);
    EXPECT_THAT(all[0].text,
                AllOf(HasSubstr("4 threads wait 100 times for Python's interpreter"),
                      HasSubstr("0.03 s each time"), HasSubstr("All threads together wait 3 s")));
  }
  EXPECT_THAT(advise_with({sent_by("send"), waits}), IsEmpty());
  EXPECT_THAT(advise_with({sent_by("drop_gil"), waiting_for_interpreter(1, 30e6, 0)}), IsEmpty());
}

TEST(advise_on_turns, the_interpreter_costs_no_more_than_is_waited_for_it) {
  const auto at_most_s = [](double late_ns, double wake_ns) {
    return advise_with({sent_by("drop_gil"), waiting_for_interpreter(2, late_ns, wake_ns)})
        .at(0)
        .at_most_s;
  };
  EXPECT_NEAR(at_most_s(3e6, 0), 0.3, 1e-9);
  // While a thread is being woken nobody has it.
  EXPECT_NEAR(at_most_s(6e6, 4e6), 0.4 + 0.6 / 2, 1e-9);
}

TEST(advise_on_turns, work_that_could_overlap_is_saved_too) {
  const auto all = advise_with({signalled(1, 70'000, 10'000), signalled(1, 30'000, 10'000)});
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_NEAR(all[0].at_most_s, 0.2 + 0.3, 1e-9);
}

TEST(advise_on_turns, threads_that_work_at_the_same_time_take_no_turns) {
  EXPECT_THAT(advise_with({signalled(1, 30'000, 20'000), signalled(1, 20'000, 20'000)}), IsEmpty());
  // Of another lock.
  EXPECT_THAT(advise_with({signalled(1, 30'000, 40'000), signalled(2, 25'000, 50'000)}), IsEmpty());
  // Waiting for the end of a long piece of work.
  site once = signalled(1, 30'000, 80'000);
  once.count = 50;
  once.locks[1].count = 50;
  EXPECT_THAT(advise_with({once, once}), IsEmpty());
}

TEST(advise_on_turns, readers_and_writers_of_what_one_thread_compresses_take_no_turns) {
  EXPECT_THAT(advise_with({signalled(1, 95'000, 3'000), signalled(1, 60'000, 3'000)}), SizeIs(1));
  EXPECT_THAT(advise_with({signalled(1, 96'000, 2'000), signalled(1, 60'000, 2'000)}), IsEmpty());
}

TEST(advise_on_turns, signals_under_the_lock_are_another_cause) {
  EXPECT_THAT(advise_with({signalled(1, 30'000, 40'000), signalled(1, 25'000, 50'000)},
                          {advice{.rule = "signals", .site_id = 2}}),
              IsEmpty());
}

TEST(advise_on_turns, who_waits_for_its_turn_in_a_loop_waits_less_with_less_in_order) {
  const auto all = advise_with({waiting("ordered", 10'000, 2, 0, 80'000)});
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].rule, "ordered");
  // 0.8 s of two threads.
  EXPECT_NEAR(all[0].at_most_s, 0.4, 1e-9);
  EXPECT_THAT(all[0].text,
              AllOf(HasSubstr("wait 80 us each time"), HasSubstr("A thread waits 0.4 s;")));
  EXPECT_THAT(advise_with({waiting("ordered", 10'000, 1, 0, 80'000)}), IsEmpty());
}

TEST(advise_on_turns, iterations_that_wait_for_named_ones_may_be_larger) {
  const auto all = advise_with({waiting("doacross", 10'000, 2, 0, 80'000)});
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].rule, "ordered");
  EXPECT_NEAR(all[0].at_most_s, 0.4, 1e-9);
  EXPECT_THAT(all[0].text, HasSubstr("2 threads wait 10,000 times for another iteration of a loop "
                                     "(depend(sink)), 80 us each time. Let an iteration be a "
                                     "larger block of each level"));
  EXPECT_THAT(advise_with({waiting("doacross", 10'000, 1, 0, 80'000)}), IsEmpty());
}

TEST(advise_on_turns, who_is_through_an_ordered_loop_first_waits_at_its_end) {
  site ordered = waiting("ordered", 20'000, 2, 0, 20'000);
  site end = waiting("barrier", 100, 2, 1e6, 100);
  ordered.team = end.team = end.times->threads = 2;
  end.times->timed *= 2;
  const auto all = advise_with({ordered, end});
  ASSERT_THAT(all, SizeIs(1));
  // Each of two threads waits 0.2 s in the loop; what both wait at the end is 0.1 s.
  EXPECT_NEAR(all[0].at_most_s, 0.2 + 0.05, 1e-9);
  EXPECT_THAT(all[0].text, HasSubstr("0.05 s for the last thread where its team meets"));
}

TEST(advise_on_turns, threads_wait_elsewhere_for_what_is_no_ordered_loop) {
  site ordered = waiting("ordered", 20'000, 2, 0, 20'000);
  site end = waiting("barrier", 100, 2, 1e6, 100);
  ordered.team = end.team = end.times->threads = 2;
  end.times->timed *= 2;
  ordered.frames = {{.function = "sum(int) [clone ._omp_fn.0]", .file = "a.cpp", .line = 7}};
  end.frames = {{.function = "other(int)", .file = "a.cpp", .line = 30}};
  EXPECT_NEAR(advise_with({ordered, end}).at(0).at_most_s, 0.2, 1e-9);
  // The end of the region that a compiler made a function of.
  end.frames[0].function = "sum(int)";
  EXPECT_NEAR(advise_with({ordered, end}).at(0).at_most_s, 0.2 + 0.05, 1e-9);
}

TEST(advise_on_turns, threads_that_yield_to_each_other_may_pause_or_sleep) {
  const site yields = waiting("yield", 1'000'000, 1, 0, 300);
  const auto all = advise_with({yields, yields});
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].rule, "yields");
  EXPECT_NEAR(all[0].at_most_s, 0.6, 1e-9);
  EXPECT_THAT(all[0].text, AllOf(HasSubstr("2,000,000 times (sched_yield), 300 ns each time"),
                                 HasSubstr("a loop that pauses")));
  EXPECT_NEAR(all[0].seen_share, 0.3, 1e-9);
  // Two threads that both yield at two places for 0.15 s spend 0.3 s.
  site of_both = waiting("yield", 1'000'000, 2, 0, 300);
  of_both.callers = {0, 1};
  EXPECT_NEAR(advise_with({of_both, of_both}).at(0).seen_share, 0.3, 1e-9);
  EXPECT_THAT(advise_with({of_both, of_both}).at(0).text, HasSubstr("2 threads give up"));
  const auto crowd = advise_with({yields, yields, yields});
  ASSERT_THAT(crowd, SizeIs(1));
  // Calls in the headers of std::atomic, too, which sleep when they have yielded in vain.
  EXPECT_THAT(crowd[0].text,
              HasSubstr("2 processing units run them: let them sleep until they are woken (a "
                        "condition variable; std::atomic wait, latches"));
}

TEST(advise_on_turns, one_thread_or_a_library_that_yields_is_not_the_program_to_change) {
  site yields = waiting("yield", 1'000'000, 1, 0, 300);
  EXPECT_THAT(advise_with({yields}), IsEmpty());
  EXPECT_THAT(advise_with({waiting("yield", 10'000, 2, 0, 300)}), IsEmpty());
  yields.frames = {{.function = "spin", .file = "/opt/kokkos/Kokkos_Spinwait.cpp", .line = 7}};
  EXPECT_THAT(advise_with({yields, yields}), IsEmpty());
  yields.frames = {{.function = "Kokkos::Impl::spin(int)", .file = {}}};
  EXPECT_THAT(advise_with({yields, yields}), IsEmpty());
  yields.frames.clear();
  yields.module = "/usr/lib/libtbb.so.12";
  EXPECT_THAT(advise_with({yields, yields}), IsEmpty());
}

TEST(advise_on_turns, threads_that_sleep_at_each_item_hand_over_more_at_a_time) {
  // 20,000 calls of two threads, 30 us each.
  const auto all = advise_with({waiting("sem_wait", 20'000, 2, 0, 30'000)});
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].rule, "handoffs");
  EXPECT_NEAR(all[0].at_most_s, 0.6, 1e-9);
  EXPECT_THAT(all[0].text,
              HasSubstr("wait for a semaphore (sem_wait) 20,000 times, 30 us each time"));
  // Work that a few calls wait for, and calls that need not wait.
  EXPECT_THAT(advise_with({waiting("sem_wait", 900, 1, 0, 500'000)}), IsEmpty());
  EXPECT_THAT(advise_with({waiting("sem_wait", 1'000'000, 2, 0, 300)}), IsEmpty());
}

TEST(advise_on_turns, who_sleeps_at_few_of_many_calls_waits_for_work) {
  // 0.8 s in a few of 400,000 calls: batches are handed over already.
  site batches = waiting("sem_wait", 400'000, 1, 0, 2'000);
  batches.times->call.median_ns = 20;
  EXPECT_THAT(advise_with({batches}), IsEmpty());
  // Beside others they are not named, and yet may wait less.
  site items = waiting("sem_wait", 20'000, 2, 0, 5'000);
  const auto all = advise_with({batches, items});
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].site_id, 2U);
  EXPECT_THAT(all[0].more_ids, IsEmpty());
  EXPECT_NEAR(all[0].at_most_s, 0.1 + 0.8, 1e-9);
}

TEST(advise_on_turns, who_sleeps_at_a_futex_may_have_yielded_before) {
  const auto all =
      advise_with({waiting("futex", 20'000, 2, 0, 20'000), waiting("yield", 40'000, 1, 0, 200)});
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_THAT(all[0].text, HasSubstr("wait or wake others (futex) 20,000 times, 20 us each"));
  EXPECT_NEAR(all[0].at_most_s, 0.4 + 0.008, 1e-9);
  EXPECT_THAT(all[0].text, HasSubstr("Threads also spend 8 ms in sched_yield"));
  EXPECT_THAT(all[0].more_ids, ElementsAre(2));
}

TEST(advise_on_turns, who_yields_for_longer_than_others_sleep_is_named_beside_them) {
  const auto all =
      advise_with({waiting("futex", 10'500, 1, 0, 2'000), waiting("yield", 1'000'000, 2, 0, 500)});
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_NEAR(all[0].at_most_s, 0.021, 1e-9);
  EXPECT_THAT(all[0].more_ids, IsEmpty());
  EXPECT_EQ(all[1].rule, "yields");
  EXPECT_NEAR(all[1].at_most_s, 0.5, 1e-9);
}

TEST(advise_on_turns, threads_for_small_pieces_of_work_live_longer) {
  site created = waiting("create", 10'000, 1, 0, 12'000);
  const site joined = waiting("join", 10'000, 1, 0, 60'000);
  const auto all = advise_with({created, joined});
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].rule, "threads");
  EXPECT_EQ(all[0].site_id, 1U);
  EXPECT_NEAR(all[0].at_most_s, 0.12 + 0.6, 1e-9);
  EXPECT_THAT(all[0].text, AllOf(HasSubstr("10,000 threads are started, 12 us each"),
                                 HasSubstr("threads wait 0.6 s for the ends of others")));
  // Those that a runtime starts, long lives, and a few.
  EXPECT_THAT(advise_with({waiting("create", 1'000, 1, 0, 12'000), joined}), IsEmpty());
  EXPECT_THAT(advise_with({waiting("create", 50, 1, 0, 1'000'000), joined}), IsEmpty());
  for (const char* runtime : {"/usr/lib/libgomp.so.1", "/opt/lib/libomp.so", "/opt/libiomp5.so"}) {
    created.module = runtime;
    EXPECT_THAT(advise_with({created, joined}), IsEmpty()) << runtime;
  }
}

TEST(advise_on_turns, a_pool_for_all_processing_units_is_started_once) {
  advice_setting setting{.wall_s = 0.1, .usable_pus = 128};
  EXPECT_THAT(advise_on_turns({waiting("create", 128, 1, 0, 25'000)}, setting, {}), IsEmpty());
  EXPECT_THAT(advise_on_turns({waiting("create", 512, 1, 0, 25'000)}, setting, {}), SizeIs(1));
}

TEST(advise_on_turns, what_waits_for_detached_threads_is_not_known) {
  const auto all =
      advise_with({waiting("create", 10'000, 1, 0, 12'000), waiting("join", 4'999, 1, 0, 60'000)});
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_NEAR(all[0].at_most_s, 1, 1e-9);
  EXPECT_THAT(all[0].text, HasSubstr("most of the threads are not joined"));
}

}  // namespace
}  // namespace syncmeter::turn_rules_test
