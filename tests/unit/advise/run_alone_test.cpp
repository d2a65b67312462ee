// The bound from a run without sharing.
#include "driver/advise/run_alone.hpp"

#include <sched.h>

#include <gmock/gmock.h>

namespace syncmeter::run_alone_test {
namespace {

/// Two created threads share a lock.
std::vector<site> shared_lock() {
  return {{.kind = "create", .module = "/bin/app", .count = 2, .threads = 1},
          {.kind = "mutex_lock", .module = "/bin/app", .count = 1'000'000, .threads = 2}};
}
advice_setting with_alone(double cpu_s, double cpus = 2) {
  return {.wall_s = 1,
          .plain_wall_s = {.value = 1, .low = 1, .high = 1.1},
          .allowed_pus = cpus,
          .alone_cpu_s = cpu_s};
}
advice saving_all(const removed_work& removes) {
  return {.rule = "readers",
          .site_id = 2,
          .at_most_s = 1,
          .at_least_s = 0.9,
          .run_s = 1,
          .removes = removes};
}

TEST(bound_by_run_alone, leaves_the_work_shared_out_among_the_cpus) {
  advice each = saving_all({});
  bound_by_run_alone(each, shared_lock(), with_alone(0.4));
  EXPECT_DOUBLE_EQ(each.at_most_s, 0.8);
  EXPECT_DOUBLE_EQ(each.at_least_s, 0.8) << "no more than at most";
}

TEST(bound_by_run_alone, calls_that_go_leave_less_work) {
  advice each = saving_all({.cpu_s = 0.1});
  bound_by_run_alone(each, shared_lock(), with_alone(0.4));
  EXPECT_DOUBLE_EQ(each.at_most_s, 0.85);
  each = saving_all({.cpu_share = 0.5});
  bound_by_run_alone(each, shared_lock(), with_alone(0.4));
  EXPECT_DOUBLE_EQ(each.at_most_s, 0.9);
  each = saving_all({.cpu_s = 2});
  bound_by_run_alone(each, shared_lock(), with_alone(0.4));
  EXPECT_DOUBLE_EQ(each.at_most_s, 1) << "all work may be calls";
}

TEST(bound_by_run_alone, more_cpus_than_threads_share_out_no_more) {
  advice each = saving_all({});
  bound_by_run_alone(each, shared_lock(), with_alone(0.6, 16));
  EXPECT_DOUBLE_EQ(each.at_most_s, 0.8) << "the first thread may work, too: three";
}

TEST(bound_by_run_alone, raises_no_gain) {
  advice each = saving_all({});
  each.at_most_s = 0.1, each.at_least_s = 0;
  bound_by_run_alone(each, shared_lock(), with_alone(0.4));
  EXPECT_DOUBLE_EQ(each.at_most_s, 0.1);
}

TEST(bound_by_run_alone, bounds_nothing_that_shares_on) {
  advice each = saving_all({});
  each.removes.reset();
  bound_by_run_alone(each, shared_lock(), with_alone(0.4));
  EXPECT_DOUBLE_EQ(each.at_most_s, 1);
}

TEST(bound_by_run_alone, replaces_times_of_runs_that_counting_disturbed) {
  advice each = saving_all({});
  each.at_most_s = 0.3;
  advice_setting setting = with_alone(0.4);
  setting.counts_alone = true;
  bound_by_run_alone(each, shared_lock(), setting);
  EXPECT_DOUBLE_EQ(each.run_s, 1.1) << "the longest plain run";
  EXPECT_DOUBLE_EQ(each.at_most_s, 0.9);
  EXPECT_TRUE(each.of_plain_runs);
}

TEST(uses_openmp_alone, not_if_the_program_creates_threads) {
  const site region{.kind = "region", .module = "/bin/app"};
  site create{.kind = "create", .module = "/usr/lib/libgomp.so.1"};
  EXPECT_TRUE(uses_openmp_alone({region, create}));
  EXPECT_FALSE(uses_openmp_alone({create}));
  create.module = "/bin/app";
  EXPECT_FALSE(uses_openmp_alone({region, create}));
}

TEST(pinned_to_one_cpu, gives_the_cpus_back) {
  cpu_set_t before, pinned, after;
  ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
  std::vector<int> allowed;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &before)) allowed.push_back(cpu);
  {
    const pinned_to_one_cpu here(allowed);
    ASSERT_EQ(::sched_getaffinity(0, sizeof pinned, &pinned), 0);
    EXPECT_EQ(CPU_COUNT(&pinned), 1);
  }
  ASSERT_EQ(::sched_getaffinity(0, sizeof after, &after), 0);
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

}  // namespace
}  // namespace syncmeter::run_alone_test
