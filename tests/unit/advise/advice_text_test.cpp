// What a terminal shows of a program: which sites come first.
#include <csignal>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "driver/advise/advise.hpp"

namespace syncmeter::advice_text_test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

site locked_by_one(std::uint64_t count) {
  return {.kind = "mutex_lock", .module = "/bin/often", .count = count, .threads = 1};
}

/// A barrier that two threads reach 1000 times, where each waits for so long each time.
site barrier(double mechanism_ns) {
  site of{.kind = "barrier", .module = "/bin/long", .team = 2, .count = 1000, .threads = 2};
  of.times = site_times{.timed = 2000, .threads = 2};
  of.times->mechanism = {.sum_ns = 2000 * mechanism_ns, .median_ns = mechanism_ns};
  return of;
}

program_counts counts_of(std::vector<site> sites, double counted_s) {
  program_counts of{
      .command = {"app"}, .file = {}, .runs = {}, .of_last_run = {}, .advices = {}, .notes = {}};
  of.runs = {{.arm = "plain", .wall_s = 1},
             {.arm = "count", .wall_s = counted_s},
             {.arm = "time", .wall_s = 1}};
  of.of_last_run.processes = 1;
  of.of_last_run.sites = std::move(sites);
  return of;
}

program_counts quick(double counted_s = 1) {
  return counts_of({locked_by_one(1'000'000)}, counted_s);
}

bool barrier_is_first(const program_counts& of) {
  const std::string text = advice_text(of, {});
  return text.find("long+") < text.find("often+");
}

TEST(advice_text, sites_that_take_most_time_come_first) {
  EXPECT_TRUE(barrier_is_first(counts_of({locked_by_one(1'000'000), barrier(1e5)}, 1)));
  // Less than a thousandth of the time is as much as nothing.
  EXPECT_FALSE(barrier_is_first(counts_of({locked_by_one(1'000'000), barrier(500)}, 1)));
}

TEST(advice_text, shares_of_the_time_are_those_of_the_file) {
  program_counts of = counts_of({barrier(1e5)}, 1);
  of.of_last_run.sites[0].times->lateness = {.sum_ns = 2000 * 3e5, .median_ns = 3e5};
  const nlohmann::json takes = advice_lines(of).back().at("takes_s");
  EXPECT_NEAR(takes.at("lateness").get<double>(), 0.3, 1e-9);
  EXPECT_NEAR(takes.at("mechanism").get<double>(), 0.1, 1e-9);
  EXPECT_THAT(advice_text(of, {}), ContainsRegex("barrier +1,000 +2 +2 +30\\.0 % +10\\.0 % +long"));
}

TEST(advice_text, each_study_behind_the_advice_is_named_once) {
  program_counts of = counts_of({barrier(1e5)}, 1);
  const auto add = [&](const char* rule) {
    of.advices.push_back({.rule = rule, .site_id = 1, .at_most_s = 0.1, .run_s = 1});
  };
  add("signals");
  EXPECT_THAT(advice_text(of, {}), Not(HasSubstr("--study")));
  EXPECT_FALSE(advice_lines(of).back().contains("study"));
  for (const char* rule : {"regions", "readers", "chunks"}) add(rule);
  EXPECT_THAT(advice_text(of, {.width = 200}),
              HasSubstr("\nThe studies behind the advice: syncmeter run --study regions (2, 4), "
                        "--study read-mostly (3)\n"));
  EXPECT_EQ(advice_lines(of).back().at("study"), "regions");
  of.advices.erase(of.advices.begin() + 1, of.advices.end());
  of.advices[0].rule = "readers";
  EXPECT_THAT(advice_text(of, {}),
              HasSubstr("\nThe study behind the advice: syncmeter run --study read-mostly\n"));
}

TEST(advice_lines, what_several_sites_save_together_is_a_saving_too) {
  program_counts of = counts_of({barrier(1e5)}, 1);
  of.advices.push_back({.rule = "barriers",
                        .site_id = 1,
                        .at_most_s = 0.1,
                        .run_s = 1,
                        .with_others = summed_saving{3, 0.125, 0.5, 2}});
  EXPECT_EQ(advice_lines(of).back().at("with_others"),
            (nlohmann::json{{"sites", 3}, {"low", 0.125}, {"high", 0.5}, {"run_s", 2.0}}));
  of.runs.back().other_cpu_share = 0.5;
  EXPECT_FALSE(advice_lines(of).back().contains("with_others"));
}

std::size_t lines_with(const std::string& text, std::string_view words) {
  std::size_t found = 0;
  for (std::size_t at = text.find(words); at != std::string::npos; at = text.find(words, at + 1))
    ++found;
  return found;
}

TEST(advice_text, sites_that_take_nothing_are_left_out) {
  std::vector<site> sites(30, locked_by_one(3));
  sites.push_back(barrier(1e5));
  program_counts of = counts_of(sites, 1);
  EXPECT_EQ(lines_with(advice_text(of, {}), "often+"), 0U) << "each would be a line of 0.0 %";
  EXPECT_THAT(advice_text(of, {}), AllOf(HasSubstr("barrier"), HasSubstr("30 sites with ")));
  // Those of an advice stay, and calls that are not timed and so many that they may take time.
  of.advices = {{.rule = "readers", .site_id = 30, .more_ids = {29}}};
  of.of_last_run.sites[27].count = 2000;
  EXPECT_EQ(lines_with(advice_text(of, {}), "often+"), 3U);
  EXPECT_THAT(advice_text(of, {}), HasSubstr("2,000"));
  of.runs.back().other_cpu_share = 0.2;
  EXPECT_EQ(lines_with(advice_text(of, {}), "often+"), 12U) << "what they take is not known";
  EXPECT_THAT(advice_text(of, {}), HasSubstr("19 sites with fewer calls"));
}

TEST(advice_text, the_advice_stands_before_how_it_was_found) {
  program_counts of = quick();
  of.advices = {{.rule = "readers", .site_id = 1, .at_most_s = 0.5, .run_s = 1}};
  of.notes = {"A note."};
  const std::string text = advice_text(of, {});
  EXPECT_LT(text.find("1. A reader lock that threads share"), text.find("plain run"));
  EXPECT_LT(text.find("1. A reader lock that threads share"), text.find("A note."));
  EXPECT_LT(text.find("A note."), text.find("kind"));
}

TEST(advice_text, where_counting_costs_too_much_sites_with_most_calls_come_first) {
  EXPECT_FALSE(barrier_is_first(counts_of({locked_by_one(1'000'000), barrier(1e5)}, 1.5)));
}

TEST(conclusion_of, nothing_to_gain_is_said_of_undisturbed_runs) {
  EXPECT_THAT(conclusion_of(quick()), HasSubstr("Nothing to gain"));
  program_counts silent = counts_of({}, 2);
  EXPECT_THAT(conclusion_of(silent), HasSubstr("Nothing to gain"));
}

TEST(conclusion_of, refused_processes_leave_no_verdict) {
  program_counts of = quick();
  of.refused = {{.program = "/bin/child", .reason = "no room"}};
  EXPECT_THAT(conclusion_of(of),
              AllOf(HasSubstr("1 process of /bin/child (no room)"),
                    Not(HasSubstr("Nothing to gain")), Not(HasSubstr("No change is advised"))));
  EXPECT_THAT(why_not_counted(of), HasSubstr("/bin/child"));
}

TEST(conclusion_of, what_is_not_counted_may_be_something_to_gain) {
  for (program_counts of : {quick(), counts_of({}, 1)}) {
    of.file.uncounted = {"its Go code"};
    EXPECT_THAT(conclusion_of(of),
                HasSubstr("Nothing to gain in what is counted, which is all but its Go code: "));
    of.leaves_processes = true;
    EXPECT_THAT(conclusion_of(of), HasSubstr("but its Go code and the processes that it left: "));
  }
}

TEST(conclusion_of, a_program_without_a_site_has_one_that_comes_first) {
  program_counts of = counts_of({}, 2);
  EXPECT_THAT(advice_text(of, {}), ContainsRegex("^\nsyncmeter advise: app\nNothing to gain: the "
                                                 "program calls nothing that synchronizes"));
  of.of_last_run.processes = 0;
  EXPECT_THAT(conclusion_of(of), AllOf(HasSubstr("Nothing is known of it"),
                                       HasSubstr("environment"), Not(HasSubstr("to gain"))));
}

TEST(conclusion_of, waiting_without_work_is_named_beside_nothing_to_gain) {
  EXPECT_THAT(conclusion_of(quick()), Not(HasSubstr("except waits")));
  site waits{.kind = "cond_wait", .module = "/bin/app", .count = 10, .threads = 1};
  waits.times = site_times{.timed = 10};
  waits.times->lateness.sum_ns = 8e8;
  EXPECT_THAT(conclusion_of(counts_of({locked_by_one(9), waits}, 1)),
              HasSubstr("Nothing to gain: no call site takes 2 % of the time, except waits for a "
                        "signal."));
}

/// 20 calls of 40 ms in one thread.
site long_calls(const std::string& kind) {
  site of{.kind = kind, .module = "/bin/app", .count = 20, .threads = 1};
  of.times = site_times{.timed = 20};
  of.times->call = {.sum_ns = 20 * 4e7, .median_ns = 4e7};
  return of;
}

TEST(conclusion_of, each_kind_of_call_that_takes_the_time_is_named) {
  for (const auto& [kind, awaited] :
       {std::pair("join", "the end of other threads"), std::pair("sem_wait", "a semaphore"),
        std::pair("futex", "another thread by futex")})
    EXPECT_THAT(conclusion_of(counts_of({long_calls(kind)}, 1)),
                HasSubstr(fmt::format("takes 2 % of the time, except waits for {}.", awaited)));
  for (const std::string kind : {"create", "chunk"})
    EXPECT_THAT(conclusion_of(counts_of({long_calls(kind)}, 1)),
                HasSubstr(fmt::format("app+0x0 ({}) takes 80.0 % of the time", kind)));
  EXPECT_THAT(conclusion_of(counts_of({long_calls("taskwait")}, 1)),
              HasSubstr("80.0 % of the time at app+0x0 (taskwait), where they run tasks."));
}

TEST(conclusion_of, the_end_of_a_region_runs_tasks) {
  site region{.kind = "region", .module = "/bin/app", .team = 2, .count = 1, .threads = 2};
  region.times = site_times{.timed = 1, .threads = 2};
  region.times->mechanism = {.sum_ns = 9e8, .median_ns = 9e8};
  const site task{.kind = "task", .module = "/bin/app", .team = 2, .count = 40, .threads = 1};
  EXPECT_THAT(conclusion_of(counts_of({task, region}, 1)),
              HasSubstr("90.0 % of the time at app+0x0 (region), where they run tasks."));
  EXPECT_THAT(conclusion_of(counts_of({region}, 1)), HasSubstr("no rule knows"));
}

/// The same, whose plain runs had so much CPU time.
program_counts at_work(program_counts of, double user_s, double system_s = 0) {
  for (program_run& run : of.runs) run.user_s = user_s, run.system_s = system_s;
  return of;
}

TEST(conclusion_of, threads_that_sleep_by_themselves_may_be_something_to_gain) {
  EXPECT_THAT(
      conclusion_of(at_work(quick(), 0.2, 0.1)),
      AllOf(HasSubstr("No change is advised: no call site takes 2 % of the time, but for 0.7 s of "
                      "1 s no thread was at work, and it is not known why: threads sleep"),
            Not(HasSubstr("to gain"))));
  EXPECT_THAT(
      conclusion_of(at_work(counts_of({}, 1), 0.2)),
      AllOf(HasSubstr("calls nothing that synchronizes, but for 0.8 s of 1 s no thread was"),
            Not(HasSubstr("to gain"))));
  EXPECT_THAT(conclusion_of(at_work(quick(), 0.3, 0.3)), HasSubstr("Nothing to gain"));
}

TEST(conclusion_of, threads_that_are_idle_may_have_a_reason) {
  const program_counts idle = at_work(quick(), 0.2);
  program_counts of = idle;
  of.runs.front().other_cpu_share = 0.2;
  EXPECT_THAT(conclusion_of(of), HasSubstr("or have no processor beside other programs."));
  of = idle;
  of.of_last_run.processes = 2;
  EXPECT_THAT(
      conclusion_of(of),
      HasSubstr("but its processes were at work for 0.2 s of 1 s, not counting those that no "
                "other one waited for, and it is not known why: threads sleep"));
  of = idle;
  of.of_last_run.gpu_processes = 1;
  EXPECT_THAT(conclusion_of(of), HasSubstr("Nothing to gain")) << "a GPU may be at work";
  of = idle;
  for (program_run& run : of.runs) run.wall_s = 0.04, run.user_s = 0.001;
  EXPECT_THAT(conclusion_of(of), HasSubstr("Nothing to gain")) << "it may take that to start";
  of = idle;
  of.runs.push_back({.arm = "plain", .wall_s = 1, .user_s = 0.9});
  EXPECT_THAT(conclusion_of(of), HasSubstr("Nothing to gain")) << "not in each run";
}

TEST(sentences_of, processes_that_go_on_are_named) {
  program_counts of = counts_of({}, 1);
  EXPECT_THAT(sentences_of(of), Not(Contains(HasSubstr("left processes"))));
  of.leaves_processes = true;
  EXPECT_THAT(sentences_of(of),
              Contains(HasSubstr("The program left processes that went on after its end")));
  EXPECT_THAT(conclusion_of(of), HasSubstr("which is all but the processes that it left: "));
}

TEST(sentences_of, a_signal_with_the_library_alone_is_not_of_the_program) {
  program_counts of = quick();
  of.runs[0].wait_status = 3 << 8;
  EXPECT_THAT(sentences_of(of), Contains("The program ended with exit status 3."));
  of.runs[1].wait_status = SIGSYS;
  EXPECT_THAT(sentences_of(of),
              Contains("With the library that counts its calls the program ended with signal 31 "
                       "(Bad system call); as it is it ends with exit status 3."));
  of.runs[0].wait_status = SIGSYS;
  EXPECT_THAT(sentences_of(of), Contains("The program ended with signal 31 (Bad system call)."));
}

TEST(sentences_of, a_signal_that_interrupted_is_no_end_of_the_program) {
  program_counts of = quick();
  of.runs.back().wait_status = SIGINT;
  EXPECT_THAT(sentences_of(of), Contains(HasSubstr("With the library")));
  of.runs.back().interrupted = true;
  EXPECT_THAT(sentences_of(of), Not(Contains(HasSubstr("ended with"))));
}

TEST(conclusion_of, without_a_timed_run_nothing_is_known_of_the_time) {
  program_counts of = quick();
  of.runs.pop_back();
  EXPECT_THAT(conclusion_of(of), AllOf(HasSubstr("a signal ended the program before"),
                                       HasSubstr("The counts are of")));
  of.of_last_run.sites.clear();
  of.interrupted_by = SIGINT;
  EXPECT_THAT(conclusion_of(of),
              AllOf(HasSubstr("a signal ended advise before"), Not(HasSubstr("The counts are"))));
}

TEST(advice_text, the_title_has_the_beginning_of_a_long_command) {
  program_counts of = quick();
  of.command = {"app", std::string(195, 'x') + "\xc3\xa4", "last"};
  const std::string text = advice_text(of, {.width = 400});
  EXPECT_THAT(text,
              AllOf(HasSubstr("app " + std::string(195, 'x') + " ...\n"), Not(HasSubstr("last"))));
  EXPECT_THAT(advice_lines(of).front().at("command").dump(), HasSubstr("last"));
  of.command.pop_back();
  EXPECT_THAT(advice_text(of, {.width = 400}), HasSubstr("x ...\n"));
  of.command.back().resize(196);
  EXPECT_THAT(advice_text(of, {.width = 400}), Not(HasSubstr(" ...")));
}

TEST(conclusion_of, of_atomic_operations_it_is_known_whether_samples_found_one) {
  program_counts of = quick();
  EXPECT_THAT(conclusion_of(of), HasSubstr("no calls, and not timed"));
  of.sampled = {.period_ns = 1, .samples = 1, .lost = 0, .threads_at_work = 2};
  EXPECT_THAT(conclusion_of(of), HasSubstr("No atomic operation takes 1 %"));
  of.of_last_run.sites.push_back({.kind = "atomic", .module = "/bin/app", .threads = 2});
  EXPECT_THAT(conclusion_of(of), HasSubstr("Below a quarter of the time"));
}

TEST(conclusion_of, calls_that_are_not_timed_may_take_the_time) {
  program_counts of = quick();
  of.of_last_run.sites.push_back(
      {.kind = "sem_post", .module = "/bin/app", .count = 400'000, .threads = 2});
  EXPECT_THAT(conclusion_of(of), AllOf(Not(HasSubstr("Nothing to gain")),
                                       HasSubstr("400,000 calls of sem_post at app")));
  of.of_last_run.sites.push_back(long_calls("sem_wait"));
  EXPECT_THAT(conclusion_of(of), AllOf(HasSubstr("400,000 calls of sem_post at app"),
                                       HasSubstr("except waits for a semaphore")));
  of.of_last_run.sites.pop_back();
  of.of_last_run.sites.back().count = 1000;
  EXPECT_THAT(conclusion_of(of), HasSubstr("Nothing to gain"));
}

TEST(conclusion_of, lines_that_no_call_explains_may_be_something_to_gain) {
  program_counts of = quick();
  of.of_last_run.sites.push_back({.kind = "memory", .module = "/bin/app", .threads = 2});
  EXPECT_THAT(conclusion_of(of),
              AllOf(Not(HasSubstr("Nothing to gain")),
                    HasSubstr("Loads and stores of several threads take much of "
                              "the time (app+0x0), and samples cannot tell why.")));
}

TEST(conclusion_of, waiting_for_its_turn_in_a_loop_takes_time) {
  site ordered{.kind = "ordered", .module = "/bin/app", .team = 2, .count = 1000, .threads = 2};
  ordered.times = site_times{.timed = 1000};
  ordered.times->call.sum_ns = 1e9;
  EXPECT_THAT(conclusion_of(counts_of({ordered}, 1)),
              HasSubstr("app+0x0 (ordered) takes 50.0 % of the time"));
}

TEST(conclusion_of, counting_that_takes_long_leaves_shares_unknown) {
  for (const bool takes_much : {false, true}) {
    program_counts of = quick(1.2);
    if (takes_much) of.of_last_run.sites.push_back(barrier(1e6));
    const std::string text = conclusion_of(of);
    EXPECT_THAT(text, AllOf(Not(HasSubstr("Nothing to gain")), Not(HasSubstr("No change"))));
    EXPECT_THAT(text, AllOf(HasSubstr("is not known, as counted runs take 1.20 times as long"),
                            HasSubstr("counts are exact")));
    EXPECT_THAT(text, HasSubstr("a longer --budget compares more"));
  }
}

TEST(counts_stand_alone, where_calls_are_as_many_as_the_time_that_counting_is_to_take) {
  EXPECT_TRUE(counts_stand_alone(counts_of({locked_by_one(60'000)}, 1.2)));
  EXPECT_FALSE(counts_stand_alone(counts_of({locked_by_one(60'000)}, 1.04)));
  EXPECT_FALSE(counts_stand_alone(counts_of({locked_by_one(40'000)}, 1.2))) << "runs differ";
  EXPECT_TRUE(may_show_shares(counts_of({locked_by_one(40'000)}, 1.2)));
}

TEST(counts_stand_alone, where_each_of_five_pairs_of_runs_takes_longer) {
  program_counts of = counts_of({locked_by_one(40'000)}, 1.2);
  const auto add_pair = [&](double counted_s) {
    of.runs.push_back({.arm = "plain", .wall_s = 1});
    of.runs.push_back({.arm = "count", .wall_s = counted_s});
  };
  for (const double counted_s : {1.1, 1.3, 1.2}) add_pair(counted_s);
  EXPECT_FALSE(counts_stand_alone(of)) << "by chance";
  program_counts with_less = of;
  add_pair(1.06);
  EXPECT_TRUE(counts_stand_alone(of));
  of = with_less;
  add_pair(1.04);
  EXPECT_FALSE(counts_stand_alone(of));
}

TEST(counts_stand_alone, calls_for_one_lock_come_one_after_another) {
  site locks = locked_by_one(60'000);
  locks.threads = 4;
  EXPECT_TRUE(counts_stand_alone(counts_of({locks}, 1.2))) << "of one lock, as far as is known";
  locks.locks = {{1, {.count = 60'000}}};
  EXPECT_TRUE(counts_stand_alone(counts_of({locks}, 1.2)));
  for (std::uint64_t lock = 1; lock <= 4; ++lock) locks.locks[lock].count = 15'000;
  EXPECT_FALSE(counts_stand_alone(counts_of({locks}, 1.2))) << "each thread may have its own";
  locks.kind = "futex", locks.locks.clear();
  EXPECT_FALSE(counts_stand_alone(counts_of({locks}, 1.2)));
}

TEST(advice_lines, a_saving_has_the_run_that_its_seconds_are_of) {
  program_counts of = quick();
  of.advices = {{.rule = "sleeping", .site_id = 1, .at_most_s = 2.4, .run_s = 2.6}};
  of.of_last_run.gpu_processes = 2;
  EXPECT_EQ(advice_lines(of).back().at("run_s"), 2.6);
  EXPECT_EQ(advice_lines(of).front().at("gpu_processes"), 2);
  EXPECT_THAT(
      advice_text(of, {}),
      ContainsRegex("\n1\\. Threads that sleep while they wait +2.6 s -> at best 0.2 s  bound\n"));
  of.of_last_run.gpu_processes = 0;
  of.runs.back().other_cpu_share = 0.2;
  EXPECT_TRUE(advice_lines(of).back().at("run_s").is_null());
  EXPECT_FALSE(advice_lines(of).front().contains("gpu_processes"));
  EXPECT_THAT(advice_text(of, {}),
              ContainsRegex("\n1\\. Threads that sleep while they wait +rough\n"));
}

TEST(advice_lines, all_figures_that_decide_are_there) {
  program_counts of = counts_of({barrier(1e5)}, 1);
  of.runs[0].system_s = 0.5;
  of.runs[0].voluntary_switches = 7;
  of.runs[0].involuntary_switches = 3;
  of.runs[1].run_delay_s = 0.125;
  of.runs[1].cuda_span_s = 0.25;
  of.sampled = {.period_ns = 1, .samples = 1, .lost = 0, .threads_at_work = 2};
  of.of_last_run.sites[0].cost_of_runs = {
      {.lateness_s = 0.1, .mechanism_s = 0.2, .run = 3},
      {.lateness_s = 0.3, .mechanism_s = 0.4, .run = 5, .is_disturbed = true}};
  of.prices = {{.what = {},
                .equal_work_s = 0.5,
                .is_disturbed = true,
                .narrow = {{.pu = 3, .fast_ns = 7, .mean_ns = 9}}},
               {.what = {}}};
  const std::vector<nlohmann::json> lines = advice_lines(of);
  const nlohmann::json &runs = lines[0].at("runs"), &timed = lines[1].at("timed_runs");
  EXPECT_EQ(runs[0].at("system_s"), 0.5);
  EXPECT_EQ(runs[0].at("voluntary_switches"), 7);
  EXPECT_EQ(runs[0].at("involuntary_switches"), 3);
  EXPECT_TRUE(runs[1].at("involuntary_switches").is_null()) << "the system counts none";
  EXPECT_EQ(runs[1].at("run_delay_s"), 0.125);
  EXPECT_FALSE(runs[0].contains("run_delay_s"));
  EXPECT_EQ(runs[1].at("cuda_span_s"), 0.25);
  EXPECT_FALSE(runs[0].contains("cuda_span_s"));
  EXPECT_EQ(lines[0].at("sampling").at("threads_at_work"), 2);
  EXPECT_EQ(timed[0].at("run"), 3);
  EXPECT_FALSE(timed[0].contains("disturbed"));
  EXPECT_EQ(timed[1].at("lateness"), 0.3);
  EXPECT_EQ(timed[1].at("mechanism"), 0.4);
  EXPECT_EQ(timed[1].at("disturbed"), true);
  EXPECT_EQ(lines[2].at("measured_s"), 0.5);
  EXPECT_EQ(lines[2].at("disturbed"), true);
  EXPECT_EQ(lines[2].at("narrow"),
            (nlohmann::json{{{"pu", 3}, {"fast_ns", 7.0}, {"mean_ns", 9.0}}}));
  EXPECT_FALSE(lines[3].contains("narrow"));
  EXPECT_FALSE(lines[3].contains("measured_s") || lines[3].contains("disturbed"));
}

TEST(cuda_spans_s, are_of_runs_that_look_at_nothing_else) {
  program_counts of = quick();
  of.runs[2].cuda_span_s = 9;
  EXPECT_TRUE(cuda_spans_s(of.runs).empty());
  of.runs.push_back({.arm = "span", .wall_s = 2, .cuda_span_s = 1.5});
  of.runs.push_back({.arm = "span", .wall_s = 2});
  EXPECT_EQ(cuda_spans_s(of.runs), std::vector<double>{1.5});
}

TEST(conclusion_of, other_programs_leave_shares_unknown) {
  program_counts of = quick();
  of.runs.back().other_cpu_share = 0.2;
  EXPECT_THAT(conclusion_of(of), AllOf(HasSubstr("is not known, as other programs used 20 %"),
                                       HasSubstr("while the machine is idle")));
  EXPECT_FALSE(may_show_shares(of));
  of.of_last_run.sites[0].count = 1'000'000;
  of.runs[1].wall_s = 2;
  EXPECT_THAT(why_withheld(of), HasSubstr("other programs")) << "which slow counted runs, too";
}

TEST(why_not_counted, names_what_was_not_timed_or_not_counted) {
  program_counts of = quick();
  of.runs.back().wait_status = SIGSEGV;
  EXPECT_THAT(why_not_counted(of), HasSubstr("signal 11"));
  of.runs.back().wait_status = 7 << 8;
  EXPECT_THAT(why_not_counted(of), HasSubstr("exit status 7"));
  of.runs.front().wait_status = 7 << 8;
  EXPECT_EQ(why_not_counted(of), "") << "the program always ends with this status";
  of.leaves_processes = true;
  EXPECT_THAT(why_not_counted(of), HasSubstr("processes that it left"));
  of.file.uncounted = {"its OpenMP"};
  EXPECT_THAT(why_not_counted(of), HasSubstr("its OpenMP"));
  of.of_last_run.lost_calls = 1234;
  EXPECT_THAT(why_not_counted(of), HasSubstr("1,234"));
  of.of_last_run.processes = 0;
  EXPECT_THAT(why_not_counted(of), HasSubstr("no process"));
  of.runs.pop_back();
  EXPECT_THAT(why_not_counted(of), HasSubstr("before a run was timed"));
}

TEST(run_delay_while_timed, it_is_that_of_the_longest_and_known_of_all_or_none) {
  program_counts of = quick();
  EXPECT_EQ(run_delay_while_timed(of), std::nullopt);
  of.runs.back().run_delay_s = 0.3;
  of.runs.push_back({.arm = "time", .wall_s = 1, .run_delay_s = 0.2});
  EXPECT_EQ(run_delay_while_timed(of), 0.3);
  of.runs.push_back({.arm = "time", .wall_s = 1});
  EXPECT_EQ(run_delay_while_timed(of), std::nullopt);
}

TEST(sentences_of, times_are_rough_where_the_timed_run_was_disturbed) {
  program_counts of = quick();
  of.runs[0].other_cpu_share = 0.2;
  EXPECT_THAT(sentences_of(of), Contains("Other programs used up to 20 % of the CPUs in other runs "
                                         "than the one that was timed."));
  of.runs.back().other_cpu_share = 0.1;
  EXPECT_THAT(sentences_of(of), Contains("Other programs used up to 20 % of the CPUs while it ran: "
                                         "take the times for rough ones."));
}

TEST(sentences_of, times_are_rough_where_most_timed_runs_were_disturbed) {
  program_counts of = quick();
  of.runs.push_back(of.runs.back());
  of.runs.push_back(of.runs.back());
  const auto with_shares = [&](double first, double second, double third) {
    std::size_t timed = of.runs.size() - 3;
    for (const double share : {first, second, third}) of.runs[timed++].other_cpu_share = share;
    return sentences_of(of);
  };
  EXPECT_THAT(with_shares(0.04, 0.2, 0.2),
              ElementsAre("Other programs used up to 20 % of the CPUs while it ran: take the times "
                          "for rough ones."));
  EXPECT_THAT(with_shares(0.04, 0.2, 0.01),
              ElementsAre("Other programs used up to 20 % of the CPUs in some of the runs."));
}

TEST(conclusion_of, other_programs_beside_most_timed_runs_leave_shares_unknown) {
  program_counts of = quick();
  program_run again = of.runs.back();
  again.other_cpu_share = 0.2;
  of.runs.push_back(again);
  of.runs.push_back(again);
  EXPECT_FALSE(may_show_shares(of));
}

TEST(advice_text, a_name_that_the_program_gives_brings_no_escape_sequence_to_the_terminal) {
  site named = barrier(1e5);
  named.label = kokkos_label{.text = "\x1b[2J"};
  const std::string text = advice_text(counts_of({named}, 1), {});
  EXPECT_THAT(text, HasSubstr("takes 10.0 % of the time"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(conclusion_of, a_program_that_ran_once_has_no_shares) {
  program_counts of = quick();
  of.runs.erase(of.runs.begin(), of.runs.begin() + 2);
  EXPECT_THAT(conclusion_of(of),
              AllOf(HasSubstr("is not known, as the program ran once"), HasSubstr("a file")));
}

/// Of two pairs of runs.
std::string says_of_pairs(double one, double other) {
  program_counts of = quick(one);
  of.runs.push_back({.arm = "plain", .wall_s = 1});
  of.runs.push_back({.arm = "count", .wall_s = other});
  return conclusion_of(of);
}

TEST(conclusion_of, what_to_run_instead_is_named) {
  EXPECT_THAT(says_of_pairs(1.2, 1.3), HasSubstr("Most calls are at often+0x0 (1,000,000)"));
  EXPECT_THAT(says_of_pairs(1.0, 1.3), HasSubstr("Its runs differ by more"));
}

}  // namespace
}  // namespace syncmeter::advice_text_test
