// What is said of signals whose threads wait for a lock, or are woken in vain.
#include "driver/advise/signal_rules.hpp"

#include <algorithm>

#include <gmock/gmock.h>

#include "driver/advise/lock_rules.hpp"

namespace syncmeter::signal_rules_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

/// So many calls of two threads for this lock, of which one in a hundred is timed.
site calling(const std::string& kind, std::uint64_t lock, std::uint64_t count, double each_ns) {
  const std::uint64_t timed = count / 100;
  site of{.kind = kind, .module = "/bin/app", .count = count, .threads = 2};
  of.locks[lock] = {.count = count, .timed = timed};
  of.times = site_times{.timed = timed, .every = 100};
  of.times->mechanism.sum_ns = static_cast<double>(timed) * each_ns;
  return of;
}

/// Waits of two threads for a condition, 10 us from each signal on, under the lock of this number.
site waiting_for(std::uint64_t condition, std::uint64_t lock) {
  site of = calling("cond_wait", lock, 10'000, 10'000);
  of.conditions[condition] = {.lock = lock, .calls = 10'000, .waiters = {0, 1}, .waits = 100};
  return of;
}
site signalling(std::uint64_t condition, std::uint64_t lock, std::uint64_t signals,
                std::uint64_t under_lock, std::uint64_t every = 100) {
  site of{.kind = "signal", .module = "/bin/app", .threads = 2};
  of.times = site_times{.every = every};
  of.conditions[condition] = {.lock = lock, .signals = signals, .under_lock = under_lock};
  return of;
}

std::vector<advice> advise_with(const std::vector<site>& sites) {
  return advise_on_signals(sites, {.wall_s = 1});
}

TEST(advise_on_signals, signals_under_the_lock_are_named) {
  const site waits = waiting_for(3, 1);
  const auto all = advise_with({signalling(3, 1, 100, 90), waits});
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].rule, "signals");
  EXPECT_EQ(all[0].site_id, 2U);
  EXPECT_THAT(all[0].more_ids, ElementsAre(1));
  EXPECT_NEAR(all[0].at_most_s, 0.1, 1e-9);
  EXPECT_THAT(advise_with({signalling(3, 1, 100, 10), waits}), IsEmpty());
}

TEST(advise_on_signals, signals_for_another_condition_of_the_lock_wake_nobody) {
  site both = signalling(4, 1, 100, 100);
  EXPECT_THAT(advise_with({both, waiting_for(3, 1)}), IsEmpty());
  // The same site sends those that count without the lock.
  both.conditions[3] = {.lock = 1, .signals = 100};
  EXPECT_THAT(advise_with({both, waiting_for(3, 1)}), IsEmpty());
}

TEST(advise_on_signals, waits_of_one_lock_are_one_advice_with_all_their_places) {
  site first = waiting_for(3, 1), second = waiting_for(4, 1);
  first.module = "/bin/first";
  second.module = "/bin/second";
  second.times->mechanism.sum_ns *= 2;
  const auto all =
      advise_with({first, second, signalling(3, 1, 100, 100), signalling(4, 1, 50, 50)});
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].site_id, 2U);
  EXPECT_THAT(all[0].more_ids, ElementsAre(1, 3, 4));
  EXPECT_THAT(all[0].cause,
              AllOf(HasSubstr("second+0x0 and first+0x0: 2 threads wait for a signal"),
                    HasSubstr(" and 100 % of the signals from ")));
  EXPECT_THAT(all[0].text, HasSubstr("takes up to 0.1 s of 1 s until it has the lock"));
  // The same two threads wait 0.05 s at one place and 0.1 s at the other.
  EXPECT_NEAR(all[0].seen_share, 0.15, 1e-9);
  // Nothing in common: each by itself.
  EXPECT_THAT(advise_with({first, waiting_for(4, 2), signalling(3, 1, 100, 100),
                           signalling(4, 2, 100, 100)}),
              SizeIs(2));
}

TEST(advise_on_signals, a_site_that_sends_all_signals_is_one_change) {
  site sender = signalling(3, 1, 100, 100);
  sender.conditions[4] = {.lock = 2, .signals = 100, .under_lock = 100};
  const auto all = advise_with({waiting_for(3, 1), waiting_for(4, 2), sender});
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_THAT(all[0].more_ids, ElementsAre(2, 3));
  EXPECT_NEAR(all[0].at_most_s, 0.2, 1e-9);
  EXPECT_THAT(all[0].text, HasSubstr("wait elsewhere for these locks"));
  // What comes last has a part of two that had none in common.
  EXPECT_THAT(advise_with({waiting_for(3, 1), waiting_for(5, 5), waiting_for(4, 2), sender,
                           signalling(5, 5, 100, 100), signalling(4, 5, 100, 100)}),
              SizeIs(1));
}

/// So many waits of these threads, most of them in vain.
site woken_by_all(std::uint64_t waits, std::uint64_t in_vain, unsigned threads = 4) {
  site of = waiting_for(3, 1);
  of.threads = threads;
  of.conditions[3].waiters.clear();
  for (unsigned n = 0; n < threads; ++n) of.conditions[3].waiters.insert(n);
  of.conditions[3].waits = waits;
  of.conditions[3].in_vain = in_vain;
  return of;
}
site signalling_all(std::uint64_t signals, std::uint64_t to_all) {
  site of = signalling(3, 1, signals, signals);
  of.conditions[3].to_all = to_all;
  return of;
}

TEST(advise_on_signals, signals_to_all_of_which_one_goes_on_are_named) {
  const auto all = advise_with({signalling_all(100, 100), woken_by_all(400, 300)});
  // Not that they are sent under the lock as well.
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].rule, "broadcasts");
  EXPECT_EQ(all[0].site_id, 2U);
  EXPECT_THAT(all[0].more_ids, ElementsAre(1));
  EXPECT_NEAR(all[0].at_most_s, 0.1, 1e-9);
  EXPECT_THAT(all[0].text, HasSubstr("4 threads wait for a signal 10,000 times"));
  EXPECT_THAT(all[0].text, HasSubstr("in 75 % of the cases"));
  EXPECT_THAT(all[0].text, HasSubstr("a thread takes 0.025 s of 1 s in the mean until it has"));
}

TEST(advise_on_signals, signals_to_all_are_right_where_most_go_on_or_few_are_sent) {
  const auto rule_with = [](const site& sender, const site& waits) {
    const auto all = advise_with({sender, waits});
    return all.empty() ? "" : all[0].rule;
  };
  EXPECT_EQ(rule_with(signalling_all(100, 100), woken_by_all(400, 199)), "signals");
  // Another thread was faster than the one that was woken.
  EXPECT_EQ(rule_with(signalling_all(100, 49), woken_by_all(400, 300)), "signals");
  // One thread waits: for the last one of several.
  EXPECT_EQ(rule_with(signalling_all(100, 100), woken_by_all(400, 300, 1)), "signals");
  site rare = woken_by_all(100, 99);
  rare.times->every = 1;
  EXPECT_EQ(rule_with(signalling_all(100, 100), rare), "signals");
}

TEST(advise_on_signals, of_several_sites_that_are_all_woken_one_has_the_advice) {
  const site one = woken_by_all(200, 150);
  site other = one;
  other.conditions[3].waiters = {0, 4, 5, 6, 7};
  const auto all = advise_with({signalling_all(100, 100), one, other});
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].site_id, 2U);
  EXPECT_THAT(all[0].text, HasSubstr("8 threads wait for a signal 20,000 times"));
}

TEST(advise_on_signals, conditions_of_one_lock_that_wake_all_are_one_advice) {
  site full = woken_by_all(400, 300), sends_both = signalling_all(100, 100);
  full.conditions[4] = full.conditions[3];
  full.conditions.erase(3);
  sends_both.conditions[4] = sends_both.conditions[3];
  // Signals to one thread that waits for the same lock.
  const auto all = advise_with(
      {sends_both, woken_by_all(400, 300), full, waiting_for(5, 1), signalling(5, 1, 100, 100)});
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].rule, "broadcasts");
  EXPECT_THAT(all[0].more_ids, ElementsAre(3, 1));
  EXPECT_NEAR(all[0].at_most_s, 0.3, 1e-9) << "with the waits for that lock elsewhere";
}

TEST(advise_on_signals, a_site_that_waits_for_several_conditions_has_what_is_in_vain) {
  // A quarter of its waits, and another site waits longer for the first condition.
  site both = woken_by_all(100, 75);
  both.times->mechanism.sum_ns *= 4;
  both.conditions[3].calls = 2500;
  both.conditions[3].waiters = {0, 1, 2};
  both.conditions[4] = {.lock = 1, .calls = 7500, .waiters = {2, 3}, .waits = 300};
  const auto quarter = advise_with({signalling_all(100, 100), both});
  ASSERT_THAT(quarter, SizeIs(1));
  EXPECT_THAT(quarter[0].text, HasSubstr("3 threads wait for a signal 2,500 times"));
  // One thread waits for each of them.
  both.conditions[3].waiters = {0};
  EXPECT_EQ(advise_with({signalling_all(100, 100), both})[0].rule, "signals");
  both.conditions[3].waiters = {0, 1};
  site longer = woken_by_all(400, 300), sends = signalling(4, 2, 100, 100);
  longer.times->mechanism.sum_ns *= 3;
  both.conditions[4] = {.lock = 2, .waiters = {0, 1}, .waits = 300, .in_vain = 250};
  both.locks[2] = both.locks.at(1);
  sends.conditions[4].to_all = 100;
  const auto two = advise_with({signalling_all(100, 100), both, longer, sends});
  ASSERT_THAT(two, SizeIs(2));
  EXPECT_EQ(two[0].site_id, 3U);
  EXPECT_EQ(two[1].site_id, 2U);
  for (const advice& each : two) EXPECT_EQ(each.rule, "broadcasts");
}

TEST(advise_on_signals, what_many_threads_take_from_a_signal_on_stays_below_the_wall_time) {
  site many = woken_by_all(400, 300, 32);
  many.times->mechanism.sum_ns *= 30;
  const auto all = advise_with({signalling_all(100, 100), many});
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_THAT(all[0].text, HasSubstr("a thread takes 0.094 s of 1 s in the mean"));
  EXPECT_NEAR(all[0].at_most_s, 1, 1e-9);
}

TEST(advise_on_signals, signals_for_one_of_a_sites_conditions_are_those_of_its_threads) {
  site both = waiting_for(3, 1);
  both.threads = 4;
  both.times->mechanism.sum_ns *= 2;
  both.conditions[3].calls = 5000;
  both.conditions[4] = {.lock = 1, .calls = 15'000, .waiters = {1, 2, 3}, .waits = 300};
  site sends = signalling(3, 1, 100, 100);
  sends.conditions[4] = {.lock = 1, .signals = 100};
  const auto all = advise_with({sends, both});
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_THAT(all[0].text, AllOf(HasSubstr("2 threads wait for a signal 5,000 times"),
                                 HasSubstr("a thread takes 0.025 s of 1 s until")));
  // A quarter of 0.06 s is too little.
  both.times->mechanism.sum_ns *= 0.6;
  EXPECT_THAT(advise_with({sends, both}), IsEmpty());
}

/// Waits as std::condition_variable_any makes them: lock 1 is its own, and the program's is 2.
site waiting_with_own_lock(std::uint64_t in_vain) {
  site of = woken_by_all(400, in_vain);
  of.conditions[3].outer = 2;
  of.conditions[3].with_own_lock = 396;
  return of;
}

TEST(advise_on_signals, a_lock_of_the_conditions_own_is_no_senders_to_release) {
  const auto all = advise_with({signalling(3, 1, 100, 100), waiting_with_own_lock(0)});
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].rule, "signals");
  EXPECT_THAT(all[0].cause, AllOf(HasSubstr("std::condition_variable, with a std::mutex, has none"),
                                  Not(HasSubstr("Release the lock"))));
  // Another one for the same lock of the program.
  site full = waiting_with_own_lock(0);
  full.conditions[6] = full.conditions[3];
  full.conditions[6].lock = 7;
  full.conditions.erase(3);
  EXPECT_THAT(advise_with({signalling(3, 1, 100, 100), waiting_with_own_lock(0),
                           signalling(6, 7, 100, 100), full}),
              SizeIs(1));
  // What is sent under a lock of the program is another thing.
  EXPECT_THAT(advise_with({signalling(3, 1, 100, 100), waiting_with_own_lock(0),
                           signalling(5, 5, 100, 100), waiting_for(5, 5)}),
              SizeIs(2));
}

TEST(advise_on_signals, of_conditions_with_an_own_lock_the_programs_is_waited_for_too) {
  const site sends = signalling_all(100, 100), waits = waiting_with_own_lock(300);
  const auto all = advise_with({sends, waits, calling("mutex_lock", 2, 10'000, 1'000)});
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].rule, "broadcasts");
  EXPECT_NEAR(all[0].at_most_s, 0.1 + 0.01, 1e-9);
  EXPECT_THAT(all[0].text, HasSubstr("it and for the one around it"));
}

TEST(advise_on_signals, signals_inside_a_library_are_not_the_programs_to_send_later) {
  site waits = waiting_for(3, 1), sends = signalling(3, 1, 100, 100);
  waits.module = sends.module = "/usr/lib/jvm/lib/server/libjvm.so";
  const auto text = [&] { return advise_with({sends, waits}).at(0).text; };
  EXPECT_THAT(text(), AllOf(HasSubstr("The calls are those of libjvm.so"),
                            Not(HasSubstr("Release the lock"))));
  waits.frames = {{.function = "wait", .file = "queue.cpp", .line = 7}};
  EXPECT_THAT(text(), HasSubstr("Release the lock"));
}

TEST(advise_on_signals, the_lock_of_pythons_interpreter_has_advice_of_its_own) {
  site sends = signalling_all(100, 100);
  const site waits = woken_by_all(400, 300);
  EXPECT_THAT(advise_with({sends, waits}), SizeIs(1));
  sends.frames = {{.function = "PyEval_SaveThread", .file = {}}};
  EXPECT_THAT(advise_with({sends, waits}), IsEmpty());
}

TEST(advise_on_signals, signals_for_two_sites_are_sent_once) {
  site sender = signalling(3, 1, 400, 400);
  sender.conditions[4] = {.lock = 1, .signals = 400, .under_lock = 240};
  const auto all = advise_with({waiting_for(3, 1), waiting_for(3, 1), waiting_for(4, 1), sender});
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_THAT(all[0].cause, HasSubstr(" and 80 % of the signals from "));
}

TEST(advise_on_signals, a_few_signals_cost_nothing) {
  EXPECT_THAT(advise_with({signalling(3, 1, 99, 99, 1), waiting_for(3, 1)}), IsEmpty());
  EXPECT_THAT(advise_with({signalling(3, 1, 100, 100, 1), waiting_for(3, 1)}), SizeIs(1));
}

TEST(advise_on_signals, who_waits_for_the_lock_of_a_signal_is_late_as_well) {
  // 80 ms of all threads for the same lock; 70 ms for another one.
  const site same = calling("mutex_lock", 1, 1000, 80'000);
  const site other = calling("mutex_lock", 2, 1000, 70'000);
  const auto all =
      advise_on_locks({signalling(3, 1, 100, 100), waiting_for(3, 1), same, other}, {.wall_s = 1});
  const auto found = std::ranges::find(all, "signals", &advice::rule);
  ASSERT_NE(found, all.end());
  EXPECT_NEAR(found->at_most_s, 0.18, 1e-9);
}

}  // namespace
}  // namespace syncmeter::signal_rules_test
