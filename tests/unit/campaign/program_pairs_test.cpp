// What pairs of whole runs say, by simulated ones.
#include "driver/campaign/program_pairs.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "driver/campaign/revisits.hpp"
#include "driver/workers/process_tree.hpp"
#include "driver/workers/start_program.hpp"

namespace syncmeter::program_pairs_test {
namespace {

std::vector<double> scattered(std::size_t n, double ratio, double share, unsigned seed) {
  std::mt19937 chance(seed);
  std::normal_distribution<double> scatter(std::log(ratio), share);
  std::vector<double> logs;
  for (std::size_t i = 0; i < n; ++i) logs.push_back(scatter(chance));
  return logs;
}

/// Of a program with itself, looked at whenever compare_programs looks.
bool says_anything(unsigned seed) {
  const std::vector<double> all = scattered(42, 1, 0.1, seed);
  for (std::size_t n = 8; n <= all.size(); n = next_look_at(n)) {
    const auto verdict = judge_logs(std::span(all).first(n), 0.01, 1);
    if (verdict == program_verdict::slower || verdict == program_verdict::faster) return true;
  }
  return false;
}

TEST(JudgeLogs, a_planted_change_has_its_sign) {
  EXPECT_EQ(judge_logs(scattered(9, 1.2, 0.01, 1), 0.01, 1), program_verdict::slower);
  EXPECT_EQ(judge_logs(scattered(9, 1 / 1.2, 0.01, 1), 0.01, 1), program_verdict::faster);
  EXPECT_EQ(judge_logs(scattered(9, 1, 0.001, 1), 0.01, 1), program_verdict::same);
  EXPECT_EQ(judge_logs(scattered(9, 1.05, 0.2, 1), 0.01, 1), program_verdict::undecided);
}

TEST(JudgeLogs, seven_pairs_may_lie_on_one_side_by_chance) {
  const std::vector<double> logs = scattered(8, 1.5, 0.02, 1);
  EXPECT_EQ(judge_logs(std::span(logs).first(7), 0.01, 1), program_verdict::undecided);
  EXPECT_EQ(judge_logs(logs, 0.01, 1), program_verdict::slower);
}

TEST(JudgeLogs, single_runs_that_were_delayed_leave_a_verdict) {
  std::vector<double> same = scattered(20, 1, 0.02, 1), slower = scattered(20, 1.2, 0.02, 1);
  for (std::vector<double>* each : {&same, &slower}) {
    for (const std::size_t i : {3U, 11U}) (*each)[i] += std::log(3);
    (*each)[7] -= std::log(2);
  }
  EXPECT_EQ(judge_logs(same, 0.05, 1), program_verdict::same);
  EXPECT_EQ(judge_logs(slower, 0.05, 1), program_verdict::slower);
}

TEST(JudgeLogs, one_of_many_needs_more) {
  const std::vector<double> logs = scattered(8, 1.2, 0.08, 3);
  EXPECT_EQ(judge_logs(logs, 0.01, 1), program_verdict::slower);
  EXPECT_EQ(judge_logs(logs, 0.01, 1000), program_verdict::undecided);
}

TEST(JudgeLogs, a_program_and_itself_rarely_differ) {
  unsigned alarms = 0;
  for (unsigned seed = 0; seed < 400; ++seed) alarms += says_anything(seed);
  EXPECT_LE(alarms, 20U) << "5 % of 400";
}

/// Of what the shell runs.
program_comparison compared(const char* a, const char* b, const program_pairs_options& options,
                            const std::vector<std::string>& settings_of_b = {}) {
  const auto arm = [](const char* name, const char* command) {
    return program_arm{.name = name, .path = "/bin/sh", .words = {"sh", "-c", command}};
  };
  program_arm changed = arm("b", b);
  changed.settings = settings_of_b;
  return compare_programs({arm("a", a), changed}, options);
}

TEST(ComparePrograms, what_writes_something_else_is_refused) {
  const program_comparison of = compared("echo one", "echo two", {});
  EXPECT_EQ(of.verdict, program_verdict::refused);
  EXPECT_TRUE(of.broken_in_b);
  EXPECT_EQ(of.refusal.find("b writes something else than a, which writes the same in each of 7 "
                            "runs"),
            0U)
      << of.refusal;
  EXPECT_NE(compared("echo one", "echo one", {.budget_s = 0}).verdict, program_verdict::refused);
}

TEST(ComparePrograms, a_few_runs_that_write_something_else_are_noted) {
  const program_comparison of = compared("echo one", "echo two", {.budget_s = 0});
  EXPECT_EQ(of.verdict, program_verdict::undecided);
  EXPECT_EQ(other_outputs_text(of, "a", "b"),
            "b wrote something else than a in 4 runs, which may be chance: --check COMMAND says "
            "what output is right.");
}

TEST(ChanceOfOtherOutputs, is_that_of_a_program_beside_itself) {
  EXPECT_DOUBLE_EQ(chance_of_other_outputs(0, 4, 4), 1);
  EXPECT_DOUBLE_EQ(chance_of_other_outputs(1, 4, 4), 1. / 2);
  EXPECT_DOUBLE_EQ(chance_of_other_outputs(4, 4, 4), 1. / 70);
  EXPECT_DOUBLE_EQ(chance_of_other_outputs(2, 8, 2), 1. / 45);
}

/// Looked at after each pair, both write something else in this share of their runs.
bool is_refused_beside_itself(double share, unsigned seed) {
  std::mt19937 chance(seed);
  std::bernoulli_distribution writes_another(share);
  for (std::size_t runs = 1, others = 0; runs <= 40; ++runs) {
    if (writes_another(chance)) return false;  // the output of A varies
    others += writes_another(chance) ? 1 : 0;
    if (others > 0 && chance_of_other_outputs(others, runs, runs) <= 5e-4) return true;
  }
  return false;
}

TEST(ChanceOfOtherOutputs, a_program_beside_itself_is_refused_once_in_a_thousand) {
  for (const double share : {0.1, 0.2, 0.3, 0.5}) {
    unsigned refused = 0;
    for (unsigned seed = 0; seed < 10'000; ++seed) refused += is_refused_beside_itself(share, seed);
    EXPECT_LE(refused, 10U) << share;
  }
}

TEST(ComparePrograms, what_writes_the_same_twice_by_chance_varies_all_the_same) {
  const std::string counter = ::testing::TempDir() + "program_pairs_runs";
  std::remove(counter.c_str());
  // Its third output is another one.
  const std::string a = "echo >> " + counter + "; test $(wc -l < " + counter + ") -gt 2; echo $?";
  const program_comparison of = compared(a.c_str(), "echo other", {.budget_s = 0});
  std::remove(counter.c_str());
  EXPECT_NE(of.verdict, program_verdict::refused) << of.refusal;
  EXPECT_TRUE(of.output_varies);
}

TEST(ComparePrograms, a_run_that_takes_ten_times_as_long_is_ended) {
  const program_comparison of =
      compared("sleep 0.01", "sleep 5", {.budget_s = 0, .least_limit_s = 0.2});
  EXPECT_TRUE(of.broken_in_b);
  EXPECT_EQ(of.refusal.find("b did not end within "), 0U) << of.refusal;
  EXPECT_NE(of.refusal.find(", where the longest run of a took 0."), std::string::npos)
      << of.refusal;
}

TEST(ComparePrograms, what_a_run_leaves_behind_is_ended) {
  const descendants adopted;
  const auto before = descendants_of(::getpid());
  (void)compared("sleep 1000 & true", "sleep 1000 & true", {.budget_s = 0});
  EXPECT_EQ(descendants_of(::getpid()), before);
}

TEST(ComparePrograms, a_library_that_is_not_loaded_is_no_change) {
  const char* const works = "i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done";
  const program_comparison of =
      compared(works, works, {.budget_s = 0}, {"LD_PRELOAD=/nonexistent/library.so"});
  EXPECT_TRUE(of.broken_in_b);
  EXPECT_EQ(of.refusal.find("the change was not in effect: processes into which library.so was not "
                            "loaded used 100 % of the CPU time, most of it 'sh'"),
            0U)
      << of.refusal;
}

TEST(ComparePrograms, a_swap_that_nobody_calls_is_no_change) {
  const program_comparison of = compared("true", "true", {.budget_s = 0}, {"SYNCMETER_SWAP=mcs"});
  EXPECT_TRUE(of.broken_in_b);
  EXPECT_EQ(of.refusal, "the change was not in effect: no calls for mutexes of POSIX threads came "
                        "from a process with the library loaded.");
}

TEST(ComparePrograms, a_figure_goes_by_its_direction) {
  program_pairs_options options{.metric = "[0-9.]+", .higher_is_better = true};
  EXPECT_EQ(compared("echo 5", "echo 9", options).verdict, program_verdict::faster);
  options.higher_is_better = false;
  const program_comparison of = compared("echo 5", "echo 9", options);
  EXPECT_EQ(of.verdict, program_verdict::slower);
  EXPECT_DOUBLE_EQ(of.ratio.value, 1.8);
}

TEST(ComparePrograms, a_figure_has_one_unit_in_all_runs) {
  const program_pairs_options options{.metric = "lat (.*)"};
  const program_comparison of = compared("echo lat 1.04ms", "echo lat 937us", options);
  EXPECT_EQ(of.verdict, program_verdict::refused);
  EXPECT_EQ(of.refusal,
            "b wrote 'us' behind the figure, where the first run wrote 'ms': have it print the "
            "same unit, and the same word behind it, in each run.");
  EXPECT_EQ(compared("echo lat 5 us", "echo lat 9 us", options).verdict, program_verdict::slower);
}

TEST(ChangeText, says_less_and_more_with_the_smaller_bound_first) {
  EXPECT_EQ(change_text({.value = 0.62, .low = 0.59, .high = 0.65}, " time"),
            "38.0 % less time (35.0 to 41.0 %)");
  EXPECT_EQ(change_text({.value = 1.074, .low = 1.061, .high = 1.088}, ""),
            "7.4 % more (6.1 to 8.8 %)");
  EXPECT_EQ(change_text({.value = 1.01, .low = 0.98, .high = 1.05}, " time"),
            "between 2.0 % less and 5.0 % more time");
  EXPECT_EQ(change_text({.value = 0.9, .low = 0.5, .high = 1.5}, " time", "a"),
            "between 50.0 % less and 50.0 % more time than a");
  EXPECT_EQ(change_text({.value = 0.62, .low = 0.59, .high = 0.65}, " time", "a"),
            "38.0 % less time than a (35.0 to 41.0 %)");
}

TEST(ChangeText, says_from_twice_on_how_many_times_as_much) {
  EXPECT_EQ(change_text({.value = 5.34, .low = 4.1, .high = 7.2}, " time", "a"),
            "5.34 times as much time as a (4.1 to 7.2 times)");
  EXPECT_EQ(change_text({.value = 1.1, .low = 0.98, .high = 2.5}, "", "a"),
            "between 2.0 % less and 2.5 times as much as a");
}

TEST(VerdictText, says_of_a_figure_which_way_is_better) {
  program_comparison of{.verdict = program_verdict::slower,
                        .ratio = {.value = 1.2, .low = 1.1, .high = 1.3}};
  for (auto& runs : of.runs) runs.assign(9, {.wall_s = 1, .figure = 1});
  program_pairs_options options;
  options.metric.emplace("([0-9]+)");
  const auto named = [](const char* name) {
    return program_arm{.name = name, .path = "", .words = {}};
  };
  EXPECT_NE(
      verdict_text(of, {named("a"), named("b")}, options)
          .find("b's figure is 20.0 % more than a's (10.0 to 30.0 %) (less is better): slower."),
      std::string::npos);
}

TEST(VerdictText, says_what_the_budget_lacks) {
  const program_comparison of = compared("true", "true", {.budget_s = 0});
  const auto named = [](const char* name) {
    return program_arm{.name = name, .path = "", .words = {}};
  };
  const std::string text = verdict_text(of, {named("a"), named("b")}, {});
  EXPECT_NE(text.find("Undecided: --budget had room for 3 pairs of runs, and a verdict takes 8 at "
                      "least: give it "),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace syncmeter::program_pairs_test
