// Which settings an advice makes promising.
#include "driver/advise/trials.hpp"

#include <cstdlib>

#include <gmock/gmock.h>

namespace syncmeter::trials_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A program of libgomp with one site of this kind, and an advice of this rule on it.
program_counts advised(const std::string& rule, const std::string& kind) {
  ::unsetenv("OMP_WAIT_POLICY");
  ::unsetenv("OMP_NUM_THREADS");
  program_counts of{.command = {"./app"},
                    .file = {.path = "/bin/app", .runtimes = {"libgomp.so.1"}},
                    .runs = {},
                    .of_last_run = {},
                    .advices = {{.rule = rule, .site_id = 1}},
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
              ElementsAre("OMP_NUM_THREADS=4", "OMP_WAIT_POLICY=passive"));
  EXPECT_THAT(settings(advised("barriers", "barrier"), {.pus = 2, .libomp = "/lib/libomp.so"}),
              ElementsAre("OMP_WAIT_POLICY=active", "OMP_PROC_BIND=close",
                          "LD_PRELOAD=/lib/libomp.so", "OMP_NUM_THREADS=1"));
  EXPECT_THAT(settings(advised("sleeping", "region"), {}), ElementsAre("OMP_WAIT_POLICY=active"));
}

TEST(SettingsToTry, AreNoneForPosixThreads) {
  EXPECT_THAT(settings(advised("sleeping", "barrier_wait"), {.pus = 4}), IsEmpty());
  EXPECT_THAT(settings(advised("oversubscription", "spin_lock"), {.pus = 4}), IsEmpty());
  EXPECT_THAT(settings(advised("locks", "mutex_lock"), {.pus = 4}), IsEmpty());
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
  EXPECT_THAT(settings(of, {}), ElementsAre("OMP_WAIT_POLICY=active", "OMP_PROC_BIND=close"));
  ::setenv("OMP_WAIT_POLICY", "active", 1);
  EXPECT_THAT(settings(of, {}), ElementsAre("OMP_PROC_BIND=close"));
  ::unsetenv("OMP_WAIT_POLICY");
}

TEST(SettingsToTry, AnotherRuntimeIsForProgramsOfLibgomp) {
  program_counts of = advised("tasks", "task");
  of.file.runtimes = {"libomp.so.5"};
  EXPECT_THAT(settings(of, {.libomp = "/lib/libomp.so"}), IsEmpty());
}

}  // namespace
}  // namespace syncmeter::trials_test
