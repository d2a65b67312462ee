// Which cause a lock has that takes time, and how much a change there may save.
#include "driver/advise/lock_rules.hpp"

#include <gmock/gmock.h>

namespace syncmeter::lock_rules_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

/// One in a hundred is timed; of these `waited` hundredths wait. By two threads.
lock_use use_of(std::uint64_t count, double wait_ns, double hold_ns, std::uint64_t waited = 50) {
  const std::uint64_t timed = count / 100;
  const auto sum = static_cast<double>(timed);
  return {.count = count,
          .timed = timed,
          .waited = timed * waited / 100,
          .wait_ns = sum * wait_ns,
          .section_ns = sum * (wait_ns + hold_ns),
          .hold_ns = sum * hold_ns,
          .short_hold_ns = hold_ns};
}

site taking(const std::string& kind, const std::map<std::uint64_t, lock_use>& locks) {
  site of{.kind = kind, .module = "/bin/app", .threads = 2, .locks = locks};
  site_times times{.every = 100};
  for (const auto& [number, use] : locks) {
    of.count += use.count;
    times.timed += use.timed;
    times.mechanism.sum_ns += use.wait_ns;
    times.lateness.sum_ns += use.section_ns;
  }
  of.times = times;
  return of;
}

advice_setting setting_for(const std::vector<site>& sites, double wall_s) {
  advice_setting setting{.wall_s = wall_s, .usable_pus = 2};
  // A call may take 320 ns before it has waited.
  setting.stamps = {.stamp_ns = 0, .free_lock_ns = 40};
  setting.objects = objects_of({.sites = sites});
  return setting;
}

std::vector<advice> advise_with(const std::vector<site>& sites, double wall_s = 1) {
  return advise_on_locks(sites, setting_for(sites, wall_s));
}

TEST(advise_on_locks, who_holds_a_lock_all_the_time_is_to_hold_it_less) {
  // 90 us, 10,000 times.
  const auto all = advise_with({taking("mutex_lock", {{1, use_of(10'000, 80'000, 90'000)}})});
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].rule, "section");
  EXPECT_EQ(all[0].kind, "bound");
  // Of 0.9 s one of two threads has 0.45 s to do, and 0.1 s are not under the lock.
  EXPECT_NEAR(all[0].at_most_s, 0.55, 1e-9);
  EXPECT_THAT(all[0].text, HasSubstr("90 us each time, 90 % of the time"));
  EXPECT_THAT(all[0].text, HasSubstr("No other type of lock helps."));
  EXPECT_THAT(all[0].cause, Not(HasSubstr("saves at most")));
}

TEST(advise_on_locks,
     of_a_lock_that_is_taken_under_another_one_it_is_not_said_how_long_it_is_held) {
  const site waits = taking("mutex_lock", {{1, use_of(10'000, 80'000, 10)}});
  site holds = taking("mutex_lock", {{1, {.count = 90'000}}});
  holds.times.reset();
  const auto all = advise_with({waits, holds});
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].rule, "locks");
  EXPECT_THAT(all[0].cause,
              AllOf(HasSubstr("taken; 90,000 are not timed"),
                    HasSubstr("hold it for a shorter time"), Not(HasSubstr("it is held for"))));
}

TEST(advise_on_locks, how_long_a_lock_is_held_is_that_of_calls_that_were_timed) {
  // 90 us each time, and of 9,000 calls nothing is known.
  site hidden = taking("mutex_lock", {{1, {.count = 9'000}}});
  hidden.times.reset();
  const auto all =
      advise_with({taking("mutex_lock", {{1, use_of(10'000, 80'000, 90'000)}}), hidden});
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].rule, "section");
  EXPECT_THAT(all[0].text, AllOf(HasSubstr("held for 90 us each time, at least 90 % of the time. "
                                           "That is without 9,000 calls that are not timed"),
                                 HasSubstr("Threads wait at least 0.8 s")));
  // Two sites of two threads each: others wait as well, for all but their share of 0.9 s.
  EXPECT_NEAR(all[0].at_most_s, 0.775, 1e-9);
  // Of a lock that is hardly held by those, the share says nothing.
  const auto short_ones =
      advise_with({taking("mutex_lock", {{1, use_of(10'000, 80'000, 100)}}), hidden});
  ASSERT_THAT(short_ones, SizeIs(1));
  EXPECT_THAT(short_ones[0].text, HasSubstr("held for 100 ns each time. That is without 9,000"));
}

TEST(advise_on_locks, no_other_lock_helps_where_a_few_calls_wait_for_long) {
  // 1 ms each: whoever has the lock has no processor.
  const auto rarely = [](std::uint64_t count) {
    return taking("mutex_lock", {{1,
                                  {.count = count,
                                   .timed = count,
                                   .waited = count,
                                   .wait_ns = 1e6 * static_cast<double>(count),
                                   .section_ns = 1e6 * static_cast<double>(count)}}});
  };
  EXPECT_THAT(advise_with({rarely(99)}), IsEmpty());
  const auto all = advise_with({rarely(100)});
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].rule, "locks");
}

TEST(advise_on_locks, one_thread_may_wait_for_all_that_another_does) {
  // One waits 0.4 s for the other, which does not wait: in the mean 0.2 s, and each works 0.4 s.
  const auto all = advise_with({taking("mutex_lock", {{1, use_of(10'000, 40'000, 80'000)}})}, 0.8);
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].rule, "section");
  EXPECT_NEAR(all[0].at_most_s, 0.4, 1e-9);
}

TEST(advise_on_locks, a_lock_that_is_free_most_of_the_time_may_be_another_one) {
  const auto all = advise_with({taking("mutex_lock", {{1, use_of(10'000, 110'000, 20'000)}})});
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].rule, "locks");
  EXPECT_EQ(all[0].kind, "range");
  // Each of two threads has 0.65 s in it, or one of them more, while the other waits elsewhere.
  EXPECT_NEAR(all[0].at_most_s, 1, 1e-9);
  EXPECT_THAT(all[0].text, HasSubstr("and 0.65 s with the work under the lock and its release."));
  EXPECT_THAT(all[0].text, HasSubstr("that of all threads together, 1 s."));
}

TEST(advise_on_locks, whoever_waits_as_long_as_another_one_holds_a_lock_wants_it_held_less) {
  const auto rule_of = [](double wait_ns, double hold_ns) {
    return advise_with({taking("mutex_lock", {{1, use_of(10'000, wait_ns, hold_ns)}})})[0].rule;
  };
  EXPECT_EQ(rule_of(65'000, 70'000), "section");
  // Half of the holds meet nobody, or to wake a thread takes as long as the hold.
  EXPECT_EQ(rule_of(35'000, 70'000), "locks");
  EXPECT_EQ(rule_of(90'000, 60'000), "locks");
}

TEST(advise_on_locks, a_lock_is_held_long_where_most_of_its_time_is) {
  const site holds = taking("mutex_lock", {{1, use_of(10'000, 65'000, 70'000)}});
  const site brief = taking("mutex_lock", {{1, use_of(10'000, 5'000, 100)}});
  EXPECT_EQ(advise_with({brief, holds})[0].rule, "section");
  // Nearly all of the time is of few holds of a thread that was not there.
  site disturbed = brief;
  disturbed.locks[1].hold_ns = holds.locks.at(1).hold_ns;
  disturbed.locks[1].wait_ns = holds.locks.at(1).wait_ns;
  disturbed.times = holds.times;
  EXPECT_EQ(advise_with({disturbed})[0].rule, "locks");
}

TEST(advise_on_locks, signals_under_a_lock_that_is_held_too_long_are_named) {
  const site of = taking("mutex_lock", {{1, use_of(10'000, 65'000, 70'000)}});
  site sender{.kind = "signal", .module = "/bin/app", .count = 10'000, .threads = 1};
  sender.frames = {{.function = "produce", .file = "/src/app.cpp", .line = 30}};
  sender.conditions[2] = {.lock = 1, .signals = 23, .under_lock = 23};
  const auto text_with = [&] { return advise_with({of, sender})[0].cause; };
  EXPECT_THAT(text_with(), HasSubstr("Signals from produce app.cpp:30 are sent by a thread that "
                                     "has it: release it before the signal"));
  sender.conditions[2].lock = 3;
  EXPECT_THAT(text_with(), Not(HasSubstr("Signals from")));
  sender.conditions[2] = {.lock = 1, .signals = 23, .under_lock = 5};
  EXPECT_THAT(text_with(), Not(HasSubstr("Signals from")));
}

/// Of two locks that lie so far apart, taken by these threads.
std::vector<advice> advise_on_neighbours(std::uint64_t apart, std::set<std::uint32_t> one,
                                         std::set<std::uint32_t> other) {
  const std::vector<site> sites{
      taking("spin_lock", {{1, use_of(4'000'000, 100, 50)}, {2, use_of(4'000'000, 100, 50)}})};
  advice_setting setting = setting_for(sites, 1);
  for (lock_object& object : setting.objects) {
    object.address = object.number == 1 ? 0x1000 : 0x1000 + apart;
    object.threads = object.number == 1 ? one : other;
  }
  return advise_on_locks(sites, setting);
}

TEST(advise_on_locks, locks_of_two_threads_in_one_line_want_lines_of_their_own) {
  const auto all = advise_on_neighbours(8, {0}, {1});
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].rule, "padding");
  EXPECT_NEAR(all[0].at_most_s, 1, 1e-9);
  EXPECT_NEAR(all[0].seen_share, 4'000'000 * 100e-9, 1e-9) << "the mean of both threads";
  EXPECT_THAT(all[0].text, HasSubstr("2 locks are taken 8,000,000 times, each by one thread"));
}

TEST(advise_on_locks, locks_of_one_thread_or_in_lines_of_their_own_need_no_padding) {
  for (const auto& all : {advise_on_neighbours(64, {0}, {1}), advise_on_neighbours(8, {0}, {0}),
                          advise_on_neighbours(8, {0, 1}, {0, 1})})
    for (const advice& each : all) EXPECT_NE(each.rule, "padding");
  // Nobody finds a lock taken that one thread alone takes.
  const std::vector<site> sites{taking("spin_lock", {{1, use_of(4'000'000, 100, 50)}})};
  advice_setting setting = setting_for(sites, 1);
  setting.objects.at(0).threads = {0};
  for (const advice& each : advise_on_locks(sites, setting))
    EXPECT_THAT(each.text, Not(HasSubstr("find it taken")));
}

TEST(advise_on_locks, a_short_section_cannot_be_shorter) {
  const auto all = advise_with({taking("mutex_lock", {{1, use_of(9'000'000, 100, 100)}})});
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].rule, "locks");
}

TEST(advise_on_locks, the_lock_of_pythons_interpreter_has_advice_of_its_own) {
  site sends = taking("signal", {});
  sends.conditions[3] = {.lock = 1, .signals = 100};
  const site takes = taking("mutex_lock", {{1, use_of(10'000, 80'000, 90'000)}});
  EXPECT_THAT(advise_with({takes, sends}), SizeIs(1));
  sends.frames = {{.function = "drop_gil", .file = {}}};
  EXPECT_THAT(advise_with({takes, sends}), IsEmpty());
}

TEST(advise_on_locks, readers_that_do_not_wait_write_to_their_lock) {
  const site reads = taking("rwlock_read", {{1, use_of(4'000'000, 60, 50, 1)}});
  const auto all = advise_with({reads});
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].rule, "readers");
  EXPECT_NEAR(all[0].at_most_s, 0.44, 1e-9);
  EXPECT_EQ(advise_with({taking("rwlock_read", {{1, use_of(4'000'000, 60, 50, 10)}})})[0].rule,
            "locks");
  EXPECT_EQ(advise_with({taking("rwlock_read", {{1, use_of(100'000, 600, 5000, 1)}})})[0].rule,
            "locks");
}

TEST(advise_on_locks, threads_that_spin_without_a_processor_come_first) {
  std::vector<site> sites{taking("spin_lock", {{1, use_of(10'000, 80'000, 90'000)}})};
  EXPECT_EQ(advise_with(sites)[0].rule, "section");
  sites[0].threads = 3;
  EXPECT_EQ(advise_with(sites)[0].rule, "oversubscription");
  EXPECT_NEAR(advise_with(sites)[0].at_most_s, 0.8, 1e-9);
  sites[0].kind = "mutex_lock";
  EXPECT_EQ(advise_with(sites)[0].rule, "section");
}

TEST(advise_on_locks, one_lock_at_two_sites_is_said_once) {
  const auto all = advise_with({taking("mutex_lock", {{1, use_of(100'000, 400, 100)}}),
                                taking("mutex_lock", {{1, use_of(200'000, 400, 100)}})});
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].site_id, 2U);
  EXPECT_THAT(all[0].more_ids, ElementsAre(1));
  EXPECT_NEAR(all[0].at_most_s, 0.15, 1e-9);
  EXPECT_THAT(all[0].text, HasSubstr("300,000 times (mutex_lock), here and at"));
}

TEST(advise_on_locks, many_locks_at_one_site_are_told_from_one) {
  std::map<std::uint64_t, lock_use> locks;
  for (std::uint64_t n = 1; n <= 64; ++n) locks[n] = use_of(10'000, 200, 100);
  const auto all = advise_with({taking("mutex_lock", locks)});
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_THAT(all[0].text, HasSubstr("There are 64 of them already."));
  // Several that are each worth it are one change: that of all.
  locks = {{1, use_of(200'000, 200, 100)},
           {2, use_of(200'000, 200, 100)},
           {3, use_of(200'000, 200, 100)},
           {4, use_of(10'000, 200, 100)}};
  const auto together = advise_with({taking("mutex_lock", locks)});
  ASSERT_THAT(together, SizeIs(1));
  EXPECT_THAT(together[0].text,
              HasSubstr("There are 4 of them already. Give each thread its own variable"));
  EXPECT_NEAR(together[0].at_most_s, 610'000 * 300e-9, 1e-9);
  // One of them that is worth it has an advice of its own, and the others stay below.
  locks = {{1, use_of(1'000'000, 200, 100)}, {2, use_of(10'000, 200, 100)}};
  EXPECT_THAT(advise_with({taking("mutex_lock", locks)}), SizeIs(1));
}

/// One of two threads alone calls it.
site taking_alone(const std::map<std::uint64_t, lock_use>& locks) {
  site of = taking("mutex_lock", locks);
  of.threads = 1;
  return of;
}

TEST(advise_on_locks, locks_that_are_taken_at_the_same_sites_are_one_change) {
  // push() by one thread, pop() by another, of two queues.
  const std::map<std::uint64_t, lock_use> queues{{1, use_of(200'000, 200, 100)},
                                                 {2, use_of(200'000, 200, 100)}};
  const std::vector<site> sites{taking_alone(queues), taking_alone(queues)};
  advice_setting setting = setting_for(sites, 1);
  for (lock_object& each : setting.objects) each.threads = {0, 1};
  const auto two = advise_on_locks(sites, setting);
  ASSERT_THAT(two, SizeIs(1));
  EXPECT_EQ(two[0].rule, "locks");
  EXPECT_NEAR(two[0].at_most_s, 800'000 * 300e-9, 1e-9);
  // Each thread calls one of the two sites, and has 400,000 calls.
  EXPECT_NEAR(two[0].seen_share, 400'000 * 200e-9, 1e-9);
  EXPECT_THAT(two[0].text, HasSubstr("A thread spends 0.08 s of 1 s in the calls"));
  EXPECT_THAT(two[0].text,
              AllOf(HasSubstr("2 threads take one of several locks 800,000 times"),
                    HasSubstr("here and at"), HasSubstr("There are 2 of them already.")));
  // An array of locks at get() and put(), each below what is worth it.
  std::map<std::uint64_t, lock_use> array;
  for (std::uint64_t n = 1; n <= 60; ++n) array[n] = use_of(10'000, 200, 100);
  const auto all = advise_with({taking("mutex_lock", array), taking("mutex_lock", array)});
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_THAT(all[0].more_ids, SizeIs(1));
  EXPECT_NEAR(all[0].at_most_s, 1'200'000 * 300e-9, 1e-9);
}

TEST(advise_on_locks, a_lock_that_is_left_beside_those_that_stand_alone_is_said_as_one) {
  // Lock 3 has most of what is taken at the second site, and lock 2 is held longer by a call.
  const auto all = advise_with(
      {taking("mutex_lock", {{2, use_of(100'000, 1000, 400)}}),
       taking("mutex_lock", {{2, use_of(50'000, 1000, 400)}, {3, use_of(3'000'000, 300, 10)}})},
      2);
  ASSERT_THAT(all, SizeIs(2));
  for (const advice& each : all) EXPECT_THAT(each.text, HasSubstr("it is held for"));
  EXPECT_THAT(all[1].text, HasSubstr("take a lock 150,000 times"));
  EXPECT_NEAR(all[1].at_most_s, 150'000 * 1400e-9, 1e-9);
}

TEST(advise_on_locks, a_wait_for_a_signal_is_no_call_for_a_lock) {
  EXPECT_THAT(advise_with({taking("cond_wait", {{1, use_of(10'000, 10'000, 0)}})}), IsEmpty());
}

TEST(advise_on_locks, parts_of_a_sentence_stay_below_the_wall_time) {
  const auto all = advise_with({taking("mutex_lock", {{1, use_of(10'000, 900'000, 10'000)}})});
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_THAT(all[0].text, HasSubstr("A thread spends 1 s of 1 s in the calls"));
}

TEST(advise_on_locks, a_few_waits_that_were_drawn_are_no_finding) {
  // Of 100 that were timed one has waited, 300 us, and stands for a hundred.
  lock_use use = use_of(10'000, 3000, 10, 1);
  use.waited_ns = 299'000;
  std::vector<site> sites{taking("mutex_lock", {{1, use}})};
  EXPECT_THAT(advise_with(sites, 0.1), IsEmpty());
  sites[0].locks.at(1).waited = 5;
  EXPECT_THAT(advise_with(sites, 0.1), SizeIs(1));
  // Each was timed, or they take long without any wait.
  sites[0].locks.at(1).waited = 1;
  sites[0].times->every = 1;
  EXPECT_THAT(advise_with(sites, 0.1), SizeIs(1));
  sites[0].times->every = 100;
  sites[0].locks.at(1).waited_ns = 0;
  EXPECT_THAT(advise_with(sites, 0.1), SizeIs(1));
}

TEST(advise_on_locks, what_takes_little_is_not_said) {
  EXPECT_THAT(advise_with({taking("mutex_lock", {{1, use_of(10'000, 3000, 90'000)}})}), IsEmpty());
  std::vector<site> alone{taking("mutex_lock", {{1, use_of(10'000, 80'000, 90'000)}})};
  alone[0].threads = 1;
  EXPECT_THAT(advise_with(alone), IsEmpty());
}

price of_call(const std::string& op) {
  price one{.what = {}, .cost_ns = {250, 250, 250}};
  one.what.op = op;
  one.what.backend = "posix";
  one.what.lanes = 2;
  return one;
}

TEST(advise_on_locks, where_counts_stand_alone_no_time_of_counted_runs_is_said) {
  for (const char* const kind : {"mutex_lock", "rwlock_read"}) {
    const std::vector<site> sites{taking(kind, {{1, use_of(4'000'000, 100, 450, 1)}})};
    advice_setting setting = setting_for(sites, 1);
    setting.plain_wall_s = {0.5, 0.5, 0.5};
    setting.prices = {of_call("lock_add"), of_call("rwlock_read")};
    EXPECT_THAT(advise_on_locks(sites, setting)[0].text, HasSubstr("it is held for"));
    setting.counts_alone = true;
    const auto all = advise_on_locks(sites, setting);
    ASSERT_THAT(all, SizeIs(1));
    EXPECT_EQ(all[0].rule, "locks");
    EXPECT_TRUE(all[0].of_plain_runs);
    for (const std::string& words : {all[0].text, all[0].cause}) {
      EXPECT_THAT(words, HasSubstr("4,000,000 times"));
      EXPECT_THAT(words, Not(HasSubstr("find it taken")));
      EXPECT_THAT(words, Not(HasSubstr("held")));
    }
  }
}

TEST(advise_on_locks, a_thread_has_its_calls_at_all_sites_of_a_lock) {
  // Two threads call 2 million times each, at both sites: 0.5 s at 250 ns.
  const site at = taking("mutex_lock", {{1, use_of(2'000'000, 100, 50)}});
  advice_setting setting = setting_for({at, at}, 1);
  setting.plain_wall_s = {1, 1, 1};
  setting.prices = {of_call("lock_add")};
  setting.counts_alone = true;
  setting.objects.at(0).threads = {0, 1};
  const auto all = advise_on_locks({at, at}, setting);
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_THAT(all[0].text, HasSubstr("which is 0.5 s of 1 s for the calls of each"));
  // Two other ones at each site, as far as is known: half as many calls of each are not worth it.
  setting.objects.at(0).threads = {};
  EXPECT_FALSE(advise_on_locks({at, at}, setting)[0].of_plain_runs);
}

TEST(advise_on_locks, a_lock_that_is_read_and_written_has_no_price) {
  const site reads = taking("rwlock_read", {{1, use_of(4'000'000, 100, 50)}});
  const site writes = taking("rwlock_write", {{1, use_of(1'000'000, 100, 50)}});
  for (const bool are_written : {false, true}) {
    std::vector<site> sites{reads};
    if (are_written) sites.push_back(writes);
    advice_setting setting = setting_for(sites, 1);
    setting.plain_wall_s = {1, 1, 1};
    setting.prices = {of_call("rwlock_read"), of_call("rwlock_add")};
    setting.counts_alone = true;
    setting.objects.at(0).threads = {0, 1};
    EXPECT_EQ(advise_on_locks(sites, setting)[0].of_plain_runs, !are_written);
  }
}

TEST(advise_on_locks, a_price_of_the_median_run_is_extended_by_what_the_longest_one_takes_more) {
  const site reads = taking("rwlock_read", {{1, use_of(4'000'000, 60, 50, 1)}});
  price of_call;
  of_call.what.op = "rwlock_read";
  of_call.what.backend = "posix";
  of_call.what.lanes = 2;
  of_call.cost_ns = {250, 250, 250};
  advice_setting setting = setting_for({reads}, 1.15);
  setting.plain_wall_s = {1, 1, 1.2};
  setting.prices = {of_call};
  std::vector<std::string> notes;
  const auto all = advise_on({reads}, setting, notes);
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_NEAR(all[0].at_most_s, 0.7, 1e-9) << "two million calls take 0.5 s of 1 s";
  EXPECT_NEAR(all[0].run_s, 1.2, 1e-9);
}

}  // namespace
}  // namespace syncmeter::lock_rules_test
