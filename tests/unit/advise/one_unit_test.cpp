// What a run on one processing unit says: about what lines of their own save, and that threads that
// sleep for each other may be slower awake.
#include "driver/advise/one_unit.hpp"

#include <cstdlib>
#include <tuple>

#include <gmock/gmock.h>

#include "driver/advise/advise.hpp"

namespace syncmeter::one_unit_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

site in_memory(double share, unsigned threads = 2) {
  site of{.kind = "memory", .module = "/bin/app", .threads = threads};
  of.samples = site_samples{.taken = 200, .share = share};
  return of;
}

/// Two threads that sleep at a barrier 10,000 times, 30 us each, in a run of 1 s.
site barrier() {
  site of{.kind = "barrier_wait", .module = "/bin/app", .count = 10'000, .threads = 2};
  of.times = site_times{.timed = 1000, .threads = 2};
  of.times->lateness = {.sum_ns = 1e6, .median_ns = 1000};
  of.times->mechanism = {.sum_ns = 3e7, .median_ns = 30'000};
  return of;
}

advice_setting taking(double user_s, std::optional<double> one_unit_user_s) {
  return {.wall_s = 1,
          .plain_wall_s = {0.8, 0.7, 1},
          .usable_pus = 2,
          .user_s = {user_s, user_s, user_s},
          .threads_at_work = 2,
          .one_unit_user_s = one_unit_user_s};
}

/// Half of the time at an atomic operation of both.
site shared_atomic(double share = 0.5, unsigned threads = 2) {
  site of = in_memory(share, threads);
  of.kind = "atomic";
  return of;
}

site region_of(unsigned team) {
  return {.kind = "region", .module = "/bin/app", .team = team, .threads = team};
}

TEST(is_worth_one_unit, where_threads_load_and_store) {
  EXPECT_TRUE(is_worth_one_unit({in_memory(0.2)}, 1, 2));
  EXPECT_FALSE(is_worth_one_unit({in_memory(0.19)}, 1, 2));
  EXPECT_FALSE(is_worth_one_unit({in_memory(0.2, 1)}, 1, 2));
  EXPECT_FALSE(is_worth_one_unit({barrier()}, 1, 2));
  EXPECT_FALSE(is_worth_one_unit({in_memory(0.2)}, 1, 0.49)) << "CPU time is not counted";
}

TEST(longest_on_one_unit_s, is_twice_the_work_and_within_what_is_left) {
  EXPECT_EQ(longest_on_one_unit_s(3, 10), 6);
  EXPECT_EQ(longest_on_one_unit_s(3, 5), 5);
  EXPECT_EQ(longest_on_one_unit_s(3, 2.9), 0);
  EXPECT_EQ(longest_on_one_unit_s(3, -1), 0);
}

TEST(settings_on_one_unit, have_runtimes_of_openmp_start_as_many_threads) {
  ::unsetenv("OMP_NUM_THREADS");
  EXPECT_THAT(settings_on_one_unit({region_of(2), region_of(8), barrier()}),
              ElementsAre("OMP_NUM_THREADS=8", "OMP_DYNAMIC=false"));
  EXPECT_THAT(settings_on_one_unit({barrier()}), IsEmpty());
  EXPECT_THAT(settings_on_one_unit({region_of(1)}), IsEmpty());
  ::setenv("OMP_NUM_THREADS", "3", 1);
  EXPECT_THAT(settings_on_one_unit({region_of(8)}), IsEmpty()) << "it holds there too";
  ::unsetenv("OMP_NUM_THREADS");
}

TEST(sentences_on_memory, tell_about_what_lines_of_their_own_save) {
  const auto said = [](const advice_setting& setting) {
    return sentences_on_memory({barrier(), in_memory(0.63)}, setting).at(0);
  };
  EXPECT_THAT(said(taking(1.9, 0.6)),
              HasSubstr("If it is such a line, that saves about 0.7 s of 1 s: on one processing "
                        "unit, where no line moves, 2 threads take 0.6 s of CPU time."));
  EXPECT_THAT(said(taking(1.9, 0.6)), Not(HasSubstr("at most")));
  EXPECT_THAT(said(taking(1.9, 1.99)), Not(HasSubstr("that saves"))) << "as a slower unit may take";
  EXPECT_THAT(said(taking(1.9, 2.5)), Not(HasSubstr("that saves")));
  EXPECT_THAT(said(taking(1.9, std::nullopt)), Not(HasSubstr("that saves")));
  advice_setting unsampled = taking(1.9, 0.6);
  unsampled.threads_at_work = 0;
  EXPECT_THAT(said(unsampled), Not(HasSubstr("that saves")));
}

TEST(sentences_on_memory, are_one_for_each_site_and_name_no_cause) {
  site of = in_memory(0.63);
  of.frames = {{.function = "work", .file = "app.cpp", .line = 7}};
  site atomic = in_memory(0.9);
  atomic.kind = "atomic";
  const std::vector<std::string> sentences = sentences_on_memory({of, atomic}, {});
  ASSERT_THAT(sentences, SizeIs(1));
  EXPECT_THAT(sentences[0],
              HasSubstr("63 % of the CPU time is at work app.cpp:7, a load or store"));
  EXPECT_THAT(sentences[0], HasSubstr("No call explains it"));
  EXPECT_THAT(sentences[0], Not(HasSubstr("false sharing")));
}

TEST(advise_on, less_time_on_one_unit_takes_no_advice_away) {
  std::vector<std::string> notes;
  const auto rules = [&](const advice_setting& setting) {
    std::vector<std::string> found;
    for (const advice& each : advise_on({barrier(), shared_atomic(0.2)}, setting, notes))
      found.push_back(each.rule);
    return found;
  };
  EXPECT_THAT(rules(taking(1.6, 1.5)), ElementsAre("sleeping"));
  EXPECT_THAT(rules(taking(1.6, 0.01)), ElementsAre("sleeping"));
}

TEST(sentence_on_moving_lines, says_what_may_be_where_nothing_else_is_known_to_take_the_time) {
  const std::vector<site> sites{barrier(), in_memory(0.3), shared_atomic(0.2)};
  EXPECT_THAT(sentence_on_moving_lines(sites, taking(1.6, 0.5)),
              AllOf(HasSubstr("Its 2 threads take 1.6 s of CPU time, and 0.5 s on one processing "
                              "unit"),
                    HasSubstr("the difference may be that of cache lines")));
  EXPECT_THAT(sentence_on_moving_lines(sites, taking(1.6, 0.54)), IsEmpty())
      << "as two threads of one core may take, at a lower clock";
  EXPECT_THAT(sentence_on_moving_lines(sites, taking(1.6, std::nullopt)), IsEmpty());
  advice_setting in_some_runs = taking(0.5, 0.5);
  in_some_runs.user_s.high = 1.6;
  EXPECT_THAT(sentence_on_moving_lines(sites, in_some_runs), Not(IsEmpty()));
}

TEST(sentence_on_moving_lines, is_of_a_few_threads_as_more_have_less_of_the_memory_each) {
  const std::vector<site> sites{barrier(), in_memory(0.6)};
  advice_setting of_more = taking(1.6, 0.3);
  of_more.threads_at_work = 3;
  EXPECT_THAT(sentence_on_moving_lines(sites, of_more), Not(IsEmpty()));
  of_more.threads_at_work = 4;
  EXPECT_THAT(sentence_on_moving_lines(sites, of_more), IsEmpty()) << "4 x 1.5 x 0.3 s";
  of_more.one_unit_user_s = 0.1;
  EXPECT_THAT(sentence_on_moving_lines(sites, of_more), Not(IsEmpty()));
  for (const unsigned threads : {0U, 1U, 5U}) {
    of_more.threads_at_work = threads;
    of_more.one_unit_user_s = 0.01;
    EXPECT_THAT(sentence_on_moving_lines(sites, of_more), IsEmpty()) << threads;
  }
}

TEST(sentence_on_moving_lines, is_not_said_of_time_that_something_else_may_take) {
  const advice_setting setting = taking(1.6, 0.1);
  EXPECT_THAT(sentence_on_moving_lines({barrier()}, setting), IsEmpty());
  EXPECT_THAT(sentence_on_moving_lines({barrier(), in_memory(0.49)}, setting), IsEmpty());
  EXPECT_THAT(sentence_on_moving_lines({barrier(), in_memory(0.9, 1)}, setting), IsEmpty())
      << "of one thread";
  EXPECT_THAT(sentence_on_moving_lines({in_memory(0.9)}, setting), IsEmpty()) << "nobody sleeps";
  EXPECT_THAT(sentence_on_moving_lines({barrier(), in_memory(0.9), region_of(2)}, setting),
              IsEmpty())
      << "its threads may spin";
}

TEST(user_s_as_it_is, is_of_plain_runs_and_reaches_to_the_sampled_one) {
  const auto run = [](const char* arm, double user_s) {
    return program_run{.arm = arm, .wall_s = 1, .user_s = user_s};
  };
  const std::vector<program_run> runs{run("plain", 0.5), run("count", 3),      run("sample", 0.9),
                                      run("time", 3),    run("one_unit", 0.3), run("plain", 0.7),
                                      run("plain", 0.6)};
  const interval found = user_s_as_it_is(runs);
  EXPECT_EQ(std::tuple(found.value, found.low, found.high), std::tuple(0.6, 0.5, 0.9));
  EXPECT_EQ(user_s_on_one_unit(runs), 0.3);
  EXPECT_FALSE(user_s_on_one_unit({run("plain", 0.5)}));
  EXPECT_EQ(user_s_as_it_is({}).high, 0);
}

}  // namespace
}  // namespace syncmeter::one_unit_test
