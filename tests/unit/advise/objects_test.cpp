// Locks one by one, from what is known of the sites that take them.
#include "driver/advise/objects.hpp"

#include <gmock/gmock.h>

namespace syncmeter {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

site taking(const std::string& kind, const std::map<std::uint64_t, lock_use>& locks) {
  return {.kind = kind, .module = "/bin/app", .locks = locks};
}

TEST(objects_of, a_lock_is_that_of_all_its_sites) {
  const call_counts counts{.sites = {taking("mutex_lock", {{7, {.count = 300}}, {8, {.count = 5}}}),
                                     taking("barrier", {}),
                                     taking("mutex_lock", {{7, {.count = 100}}})},
                           .owners = {{7, {.followed = 399, .changes = 40}}}};
  const auto all = objects_of(counts);
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_THAT(all[0].ids, ElementsAre(1, 3));
  EXPECT_EQ(all[0].kind, "mutex");
  EXPECT_EQ(all[0].acquisitions, 400U);
  EXPECT_NEAR(all[0].owner_changes.value_or(-1), 40, 1e-9);
  EXPECT_EQ(all[1].acquisitions, 5U);
  EXPECT_FALSE(all[1].owner_changes);
}

TEST(objects_of, what_was_timed_stands_for_all_acquisitions) {
  const call_counts counts{.sites = {taking("mutex_lock", {{1,
                                                            {.count = 1000,
                                                             .timed = 10,
                                                             .contended = 3,
                                                             .call_ns = 500,
                                                             .held_ns = 1200,
                                                             .short_held_ns = 110}}}),
                                     // Half as many again at a site of which none was timed.
                                     taking("mutex_lock", {{1, {.count = 500}}})},
                           .owners = {{1, {.followed = 100, .changes = 25}}}};
  const auto all = objects_of(counts);
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].timed, 10U);
  EXPECT_EQ(all[0].contended, 3U);
  EXPECT_NEAR(all[0].call_ns, 1500 * 50, 1e-6);
  EXPECT_NEAR(all[0].held_ns, 1500 * 120, 1e-6);
  EXPECT_NEAR(all[0].exclusive_ns, 1500 * 120, 1e-6);
  EXPECT_NEAR(all[0].short_held_ns, 110, 1e-9);
  EXPECT_NEAR(all[0].owner_changes.value_or(-1), 1499 * 0.25, 1e-9);
}

TEST(objects_of, what_was_timed_stands_for_no_calls_that_chance_would_have_drawn) {
  site drawn = taking("mutex_lock", {{1, {.count = 100, .timed = 10, .held_ns = 1200}}});
  drawn.times = site_times{.timed = 10, .every = 10};
  const auto with = [&](std::uint64_t count, std::uint64_t timed) {
    return objects_of(
        {.sites = {drawn, taking("mutex_lock", {{1, {.count = count, .timed = timed}}})}})[0];
  };
  EXPECT_EQ(with(1000, 0).hidden, 1000U);
  EXPECT_EQ(with(1000, 0).acquisitions, 1100U);
  EXPECT_NEAR(with(1000, 0).held_ns, 100 * 120, 1e-6);
  EXPECT_EQ(with(1000, 0).known_for, 100U);
  EXPECT_EQ(with(1000, 49).hidden, 510U);
  EXPECT_EQ(with(1000, 49).known_for, 1100U);
  EXPECT_EQ(with(1000, 50).hidden, 0U);
  // Few may have none by chance.
  EXPECT_EQ(with(499, 24).hidden, 0U);
  EXPECT_EQ(with(499, 0).hidden, 0U);
  EXPECT_NEAR(with(499, 0).held_ns, 599 * 120, 1e-6);
}

TEST(subtract_clock, what_a_site_takes_is_what_its_locks_take) {
  const lock_use use{
      .count = 1000, .timed = 10, .call_ns = 500, .held_ns = 1200, .short_held_ns = 110};
  site locks = taking("mutex_lock", {{1, use}});
  locks.times = {.timed = 10, .call = {.sum_ns = 500}, .held = {.sum_ns = 1200}};
  call_counts counts{.sites = {locks}};
  subtract_clock(counts, 20);
  const site& of = counts.sites[0];
  EXPECT_NEAR(of.times->held.sum_ns, 1000, 1e-9);
  EXPECT_NEAR(of.times->call.sum_ns, 300, 1e-9);
  EXPECT_NEAR(of.locks.at(1).call_ns, of.times->call.sum_ns, 1e-9);
  EXPECT_NEAR(of.locks.at(1).held_ns, 1000, 1e-9);
  EXPECT_NEAR(of.locks.at(1).short_held_ns, 90, 1e-9);
  // Nothing takes less than no time.
  subtract_clock(counts, 1000);
  EXPECT_EQ(of.times->mechanism.sum_ns, 0);
}

TEST(subtract_clock, threads_that_meet_look_at_it_where_each_begins_and_ends) {
  const site_times times{.timed = 10,
                         .threads = 2,
                         .lateness = {.sum_ns = 1700},
                         .mechanism = {.sum_ns = 5000, .median_ns = 500},
                         .fork_ns = 6000,
                         .inside_ns = 700};
  call_counts counts{.sites = {{.kind = "barrier", .module = "/bin/app", .times = times},
                               {.kind = "region", .module = "/bin/app", .times = times}}};
  subtract_clock(counts, 20);
  for (const site& of : counts.sites) {
    EXPECT_NEAR(of.times->lateness.sum_ns, 1700, 1e-9) << of.kind;
    EXPECT_NEAR(of.times->mechanism.sum_ns, 4800, 1e-9) << of.kind;
    EXPECT_NEAR(of.times->mechanism.median_ns, 480, 1e-9) << of.kind;
  }
  EXPECT_NEAR(counts.sites[1].times->fork_ns, 5600, 1e-9);
  EXPECT_NEAR(counts.sites[1].times->inside_ns, 300, 1e-9);
}

TEST(objects_of, readers_hold_a_lock_beside_each_other) {
  const lock_use each{.count = 10, .timed = 10, .call_ns = 100, .held_ns = 500};
  const auto all = objects_of(
      {.sites = {taking("rwlock_read", {{1, each}}), taking("rwlock_write", {{1, each}})}});
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].kind, "rwlock");
  EXPECT_NEAR(all[0].held_ns, 1000, 1e-9);
  EXPECT_NEAR(all[0].exclusive_ns, 500, 1e-9);
}

TEST(objects_of, the_lock_that_is_held_longest_comes_first) {
  const lock_use brief{.count = 10, .timed = 10, .held_ns = 100},
      lasting{.count = 10, .timed = 10, .held_ns = 900};
  const auto all = objects_of({.sites = {taking("spin_lock", {{1, brief}, {2, lasting}})}});
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_NEAR(all[0].held_ns, 900, 1e-9);
}

TEST(objects_of, nothing_without_a_timed_run) {
  EXPECT_THAT(objects_of({.sites = {taking("mutex_lock", {})}}), IsEmpty());
}

}  // namespace
}  // namespace syncmeter
