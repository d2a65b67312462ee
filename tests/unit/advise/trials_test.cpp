// Which settings an advice makes promising.
#include "driver/advise/trials.hpp"

#include <cstdlib>

#include <gmock/gmock.h>

#include "probe/swaps.hpp"

namespace syncmeter::trials_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// A program of libgomp with one site of this kind, and an advice of this rule on it.
program_counts advised(const std::string& rule, const std::string& kind) {
  ::unsetenv("OMP_WAIT_POLICY");
  ::unsetenv("OMP_NUM_THREADS");
  program_counts of{.command = {"./app"},
                    .file = {.path = "/bin/app", .runtimes = {"libgomp.so.1"}},
                    .runs = {},
                    .of_last_run = {},
                    .advices = {{.rule = rule, .site_id = 1, .run_s = 1}},
                    .notes = {}};
  of.of_last_run.sites.push_back({.kind = kind, .module = "/bin/app"});
  return of;
}

std::vector<std::string> settings(const program_counts& of, const trial_facts& facts) {
  std::vector<std::string> found;
  for (const setting_to_try& each : settings_to_try(of, facts)) found.push_back(each.settings[0]);
  return found;
}

TEST(SettingsToTry, FollowTheRule) {
  EXPECT_THAT(settings(advised("oversubscription", "region"), {.pus = 4}),
              ElementsAre("OMP_NUM_THREADS=4", "OMP_WAIT_POLICY=passive", "GOMP_SPINCOUNT=1000"));
  EXPECT_THAT(settings(advised("barriers", "barrier"), {.pus = 2, .libomp = "/lib/libomp.so"}),
              ElementsAre("OMP_WAIT_POLICY=active", "OMP_PROC_BIND=close",
                          "LD_PRELOAD=/lib/libomp.so", "OMP_NUM_THREADS=1"));
  EXPECT_THAT(settings(advised("sleeping", "region"), {}),
              ElementsAre("OMP_WAIT_POLICY=active", "GOMP_SPINCOUNT=30000000"));
  program_counts of = advised("sleeping", "region");
  of.file.runtimes = {"libomp.so.5"};
  EXPECT_THAT(settings(of, {}), ElementsAre("OMP_WAIT_POLICY=active", "KMP_BLOCKTIME=infinite"));
}

TEST(SettingsToTry, AreNoneForPosixThreads) {
  EXPECT_THAT(settings(advised("sleeping", "barrier_wait"), {.pus = 4}), IsEmpty());
  EXPECT_THAT(settings(advised("oversubscription", "spin_lock"), {.pus = 4}), IsEmpty());
}

TEST(SettingsToTry, ASchedulesIsOneThatTheProgramTakes) {
  program_counts of = advised("imbalance", "region");
  EXPECT_THAT(settings(of, {.pus = 4}), ElementsAre("OMP_PROC_BIND=close"));
  of.file.takes_schedule = true;
  EXPECT_THAT(settings(of, {.pus = 4}),
              ElementsAre("OMP_SCHEDULE=dynamic", "OMP_SCHEDULE=guided", "OMP_PROC_BIND=close"));
}

TEST(SettingsToTry, AreTriedOnceAndNotWhereTheEnvironmentHasThem) {
  program_counts of = advised("sleeping", "region");
  of.advices.push_back({.rule = "regions", .site_id = 1});
  EXPECT_THAT(settings(of, {}), ElementsAre("OMP_WAIT_POLICY=active", "GOMP_SPINCOUNT=30000000",
                                            "OMP_PROC_BIND=close"));
  ::setenv("OMP_WAIT_POLICY", "active", 1);
  EXPECT_THAT(settings(of, {}), ElementsAre("GOMP_SPINCOUNT=30000000", "OMP_PROC_BIND=close"));
  ::unsetenv("OMP_WAIT_POLICY");
}

TEST(SettingsToTry, AnotherRuntimeIsForProgramsOfLibgomp) {
  program_counts of = advised("tasks", "task");
  of.file.runtimes = {"libomp.so.5"};
  EXPECT_THAT(settings(of, {.libomp = "/lib/libomp.so"}), IsEmpty());
}

TEST(SettingsToTry, KeepWhatTheUserPreloads) {
  ::setenv("LD_PRELOAD", "/lib/mine.so", 1);
  const auto found = settings(advised("tasks", "task"), {.libomp = "/lib/libomp.so"});
  ::unsetenv("LD_PRELOAD");
  EXPECT_THAT(found, ElementsAre("LD_PRELOAD=/lib/libomp.so:/lib/mine.so"));
}

/// One lock of two threads, of which each waits for so long in a run of 1 s.
program_counts with_waits(double wait_s, unsigned threads) {
  program_counts of = advised("", "mutex_lock");
  of.advices.clear();
  of.runs = {{.arm = "time", .wall_s = 1}};
  site& at = of.of_last_run.sites.front();
  at.threads = threads;
  at.locks[1] = {
      .count = 100, .timed = 10, .contended = 5, .contended_call_ns = wait_s * threads * 1e9 / 10};
  of.objects = objects_of(of.of_last_run);
  for (unsigned thread = 0; thread < threads; ++thread) of.objects.front().threads.insert(thread);
  return of;
}

std::vector<std::string> swaps(const program_counts& of, const trial_facts& facts) {
  std::vector<std::string> found;
  for (const setting_to_try& each : settings_to_try(of, facts)) {
    EXPECT_EQ(each.settings[0], "LD_PRELOAD=/lib/swaps.so");
    const std::string name = each.settings[1].substr(each.settings[1].find('=') + 1);
    EXPECT_NE(probe::swap_of_name(name.c_str()), probe::swap_kind::none) << name;
    found.push_back(each.left_out.empty() ? name : "not " + name);
  }
  return found;
}

TEST(SettingsToTry, OtherLocksAreForThoseThatThreadsWaitFor) {
  const trial_facts facts{.pus = 2, .swaps = "/lib/swaps.so"};
  EXPECT_THAT(swaps(with_waits(0.05, 2), facts), ElementsAre("adaptive", "ttas", "mcs", "ticket"));
  EXPECT_THAT(swaps(with_waits(0.01, 2), facts), IsEmpty());
  EXPECT_THAT(swaps(with_waits(0.05, 2), {.pus = 2}), IsEmpty());
}

TEST(SettingsToTry, NoQueueIsForMoreThreadsThanRun) {
  const trial_facts facts{.pus = 2, .swaps = "/lib/swaps.so"};
  EXPECT_THAT(swaps(with_waits(0.05, 3), facts),
              ElementsAre("adaptive", "ttas", "not mcs", "not ticket"));
  program_counts disturbed = with_waits(0.05, 2);
  disturbed.runs.front().other_cpu_share = 0.5;
  EXPECT_THAT(swaps(disturbed, facts), ElementsAre("adaptive", "ttas", "not mcs", "not ticket"));
}

TEST(TrialsText, SumsWhatAllAdviceOfASettingMaySave) {
  program_counts of = advised("sleeping", "barrier_wait");
  of.runs = {{.arm = "time", .wall_s = 1}};
  of.advices[0].at_most_s = 0.2;
  of.advices.push_back({.rule = "barriers", .site_id = 1, .at_most_s = 0.3});
  of.advices.push_back({.rule = "sleeping", .site_id = 1, .at_most_s = 0.1});
  const auto found = settings_to_try(of, {.pus = 2, .swaps = "/lib/swaps.so"});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_THAT(found[0].more_ranks, ElementsAre(2U, 3U));
  trial left_out{.what = found[0], .found = {}};
  left_out.what.left_out = "For a reason.";
  EXPECT_EQ(
      trials_text(of, {left_out}, {}, 1000),
      "Tried, each in turn with the program as it is:\n"
      "- a spinning barrier in pthread_barrier_wait (SYNCMETER_SWAP=barrier), for advice 1, 2 "
      "and 3, sleeping: saves at most 0.6 s of 1 s. Not tried: For a reason.\n");
}

TEST(TrialsText, ABoundIsOfTheRunThatItsAdviceIsOf) {
  program_counts of = advised("sleeping", "barrier_wait");
  of.runs = {{.arm = "plain", .wall_s = 1.5}, {.arm = "time", .wall_s = 1}};
  of.advices[0].at_most_s = 1.2;
  of.advices[0].run_s = 1.5;
  trial left_out{.what = settings_to_try(of, {.pus = 2, .swaps = "/lib/swaps.so"}).at(0),
                 .found = {}};
  left_out.what.left_out = "For a reason.";
  EXPECT_THAT(trials_text(of, {left_out}, {}, 1000), HasSubstr("saves at most 1.2 s of 1.5 s."));
}

TEST(TrialsText, AnotherMutexIsForALock) {
  program_counts of = with_waits(0.05, 2);
  std::vector<trial> left_out;
  for (const setting_to_try& each : settings_to_try(of, {.pus = 2, .swaps = "/lib/swaps.so"})) {
    left_out.push_back({.what = each, .found = {}});
    left_out.back().what.left_out = "For a reason.";
  }
  EXPECT_THAT(
      trials_text(of, left_out, {}, 1000),
      HasSubstr("SYNCMETER_SWAP=ttas), for the mutex of app+0x0. Not tried: For a reason."));
  EXPECT_EQ(trial_lines(left_out).front().at("lock"), 1);
  EXPECT_FALSE(trial_lines(left_out).front().contains("advice"));
}

TEST(SettingsToTry, ASpinningBarrierIsForThreadsThatSleepAtOne) {
  const trial_facts facts{.pus = 2, .swaps = "/lib/swaps.so"};
  EXPECT_THAT(swaps(advised("sleeping", "barrier_wait"), facts), ElementsAre("barrier"));
  EXPECT_THAT(swaps(advised("oversubscription", "barrier_wait"), facts), IsEmpty());
}

TEST(Budget, LeavesOutWhatDoesNotFit) {
  std::vector<setting_to_try> all(4);
  all[1].left_out = "For another reason.";
  leave_out_beyond_budget(all, 1, 40);
  EXPECT_EQ(all[0].left_out, "");
  EXPECT_EQ(all[1].left_out, "For another reason.");
  EXPECT_EQ(all[2].left_out, "");
  EXPECT_EQ(all[3].left_out,
            "A trial takes 18 runs of 1 s, and --budget has room for 2 of 3; --budget 54s has room "
            "for all.");
  std::vector<setting_to_try> long_runs(1);
  leave_out_beyond_budget(long_runs, 60, 60);
  EXPECT_EQ(
      long_runs[0].left_out,
      "A trial takes 18 runs of 60 s, and --budget has room for none; --budget 1080s has room "
      "for it.");
}

TEST(Trials, WhatComesTooLateIsNamed) {
  program_counts of;
  of.file.path = "/bin/sh";
  of.command = {"sh", "-c", "[ -z \"$SLOW\" ] || sleep 0.2"};
  of.runs = {{.arm = "plain", .wall_s = 1e-5}};
  const auto tried =
      try_settings(of, {{.settings = {"SLOW=1"}, .rank = 1}, {.settings = {"SLOW=2"}, .rank = 1}},
                   {.budget_s = 0.1});
  ASSERT_EQ(tried.size(), 2U);
  EXPECT_EQ(tried[0].found.pairs(), 3U);
  EXPECT_EQ(tried[1].what.left_out, "The trials before it took all of --budget.");
}

trial compared(std::size_t rank, program_verdict verdict, double low, double high) {
  trial made{.what = {.settings = {}, .rank = rank}, .found = {}};
  made.found.verdict = verdict;
  made.found.ratio = {.value = (low + high) / 2, .low = low, .high = high};
  made.found.runs = {std::vector<program_pair_run>(8, {.wall_s = 2, .figure = 2}),
                     std::vector<program_pair_run>(8)};
  return made;
}

TEST(Trials, AreNotedWithTheirAdvice) {
  std::vector<advice> all(3);
  const std::vector<trial> trials{compared(1, program_verdict::undecided, 0.1, 1.2),
                                  compared(1, program_verdict::faster, 0.5, 0.6),
                                  compared(1, program_verdict::faster, 0.7, 0.8),
                                  compared(2, program_verdict::slower, 1.5, 2),
                                  compared(3, program_verdict::refused, 0.1, 0.2)};
  note_trials(all, trials, {});
  ASSERT_TRUE(all[0].tried && all[1].tried);
  EXPECT_TRUE(all[0].tried->is_shown);
  EXPECT_DOUBLE_EQ(all[0].tried->low_s, 0.8);
  EXPECT_DOUBLE_EQ(all[0].tried->high_s, 1);
  EXPECT_FALSE(all[1].tried->is_shown);
  EXPECT_DOUBLE_EQ(all[1].tried->low_s, -2);
  EXPECT_FALSE(all[2].tried);
  std::vector<advice> by_metric(3);
  note_trials(by_metric, trials, {.metric = "x"});
  EXPECT_FALSE(by_metric[0].tried) << "seconds of no time";
}

}  // namespace
}  // namespace syncmeter::trials_test
