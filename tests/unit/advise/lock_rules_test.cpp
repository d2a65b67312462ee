// Which cause a lock has that takes time, and how much a change there may save.
#include "driver/advise/lock_rules.hpp"

#include <gmock/gmock.h>

namespace syncmeter::lock_rules_test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

/// One in a hundred is timed; of these `contended` hundredths wait. By two threads.
lock_use use_of(std::uint64_t count, double call_ns, double held_ns, std::uint64_t contended = 50) {
  const std::uint64_t timed = count / 100;
  const auto sum = static_cast<double>(timed);
  return {.count = count,
          .timed = timed,
          .every = 100,
          .contended = timed * contended / 100,
          .call_ns = sum * call_ns,
          .held_ns = sum * held_ns,
          .short_held_ns = held_ns};
}

site taking(const std::string& kind, const std::map<std::uint64_t, lock_use>& locks) {
  site of{.kind = kind, .module = "/bin/app", .threads = 2, .locks = locks};
  site_times times{.every = 100};
  for (const auto& [number, use] : locks) {
    of.count += use.count;
    times.timed += use.timed;
    times.call.sum_ns += use.call_ns;
    times.held.sum_ns += use.held_ns;
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

TEST(advise_on_locks, interpreter_lock_of_python_is_left_to_its_own_rule) {
  site sends = taking("signal", {});
  sends.conditions[3] = {.lock = 1, .signals = 100};
  const site reads = taking("rwlock_read", {{1, use_of(4'000'000, 60, 50, 1)}});
  EXPECT_THAT(advise_with({reads, sends}), SizeIs(1));
  sends.frames = {{.function = "drop_gil", .file = {}}};
  EXPECT_THAT(advise_with({reads, sends}), IsEmpty());
}

TEST(advise_on_locks, readers_that_hardly_wait_write_to_their_lock) {
  const site reads = taking("rwlock_read", {{1, use_of(4'000'000, 60, 50, 1)}});
  const auto all = advise_with({reads});
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].rule, "readers");
  EXPECT_NEAR(all[0].at_most_s, 0.44, 1e-9);
  // Contended reads, or long ones, are no case for an atomic pointer.
  EXPECT_THAT(advise_with({taking("rwlock_read", {{1, use_of(4'000'000, 60, 50, 10)}})}),
              IsEmpty());
  EXPECT_THAT(advise_with({taking("rwlock_read", {{1, use_of(100'000, 600, 5000, 1)}})}),
              IsEmpty());
  advice_setting perturbed = setting_for({reads}, 1);
  perturbed.counts_alone = true;
  EXPECT_THAT(advise_on_locks({reads}, perturbed), IsEmpty());
}

TEST(advise_on_locks, spinning_threads_without_a_cpu_are_too_many) {
  std::vector<site> sites{taking("spin_lock", {{1, use_of(10'000, 80'000, 90'000)}})};
  EXPECT_THAT(advise_with(sites), IsEmpty());
  sites[0].threads = 3;
  EXPECT_EQ(advise_with(sites).at(0).rule, "oversubscription");
  EXPECT_NEAR(advise_with(sites)[0].at_most_s, 0.8, 1e-9);
  sites[0].kind = "mutex_lock";
  EXPECT_THAT(advise_with(sites), IsEmpty());
}

TEST(advise_on_locks, calls_below_two_hundredths_of_the_run_are_no_cause) {
  EXPECT_THAT(advise_with({taking("rwlock_read", {{1, use_of(100'000, 60, 50, 1)}})}), IsEmpty());
  std::vector<site> alone{taking("rwlock_read", {{1, use_of(4'000'000, 60, 50, 1)}})};
  alone[0].threads = 1;
  EXPECT_THAT(advise_with(alone), IsEmpty());
}

}  // namespace
}  // namespace syncmeter::lock_rules_test
