// What a run on one processing unit says: what lines of their own save at most, and whether threads
// that sleep for each other would be slower awake.
#include "driver/advise/one_unit.hpp"

#include <tuple>

#include <gmock/gmock.h>

#include "driver/advise/advise.hpp"

namespace syncmeter::one_unit_test {
namespace {

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

TEST(is_worth_one_unit, where_threads_load_and_store_or_sleep_for_each_other) {
  EXPECT_TRUE(is_worth_one_unit({in_memory(0.2)}, 1, 2));
  EXPECT_FALSE(is_worth_one_unit({in_memory(0.19)}, 1, 2));
  EXPECT_FALSE(is_worth_one_unit({in_memory(0.2, 1)}, 1, 2));
  EXPECT_TRUE(is_worth_one_unit({barrier()}, 1, 2));
  EXPECT_FALSE(is_worth_one_unit({barrier()}, 1, 0.49)) << "the system does not count CPU time";
  site region = barrier();
  region.kind = "region";
  EXPECT_FALSE(is_worth_one_unit({region}, 1, 2)) << "its threads may spin";
}

TEST(sentences_on_memory, tell_what_lines_of_their_own_save_at_most) {
  const auto said = [](const advice_setting& setting) {
    return sentences_on_memory({barrier(), in_memory(0.63)}, setting).at(0);
  };
  EXPECT_THAT(said(taking(1.9, 0.6)), HasSubstr("That saves at most 0.7 s of 1 s: on one "
                                                "processing unit, where no line moves, 2 threads "
                                                "take 0.6 s of CPU time."));
  EXPECT_THAT(said(taking(1.9, 1.99)), HasSubstr("That saves next to nothing of 1 s"));
  EXPECT_THAT(said(taking(1.9, 2.5)), HasSubstr("That saves next to nothing of 1 s"));
  EXPECT_THAT(said(taking(1.9, std::nullopt)), Not(HasSubstr("That saves")));
  advice_setting unsampled = taking(1.9, 0.6);
  unsampled.threads_at_work = 0;
  EXPECT_THAT(said(unsampled), Not(HasSubstr("That saves")));
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

TEST(advise_on, threads_whose_lines_move_gain_nothing_by_being_awake) {
  std::vector<std::string> notes;
  const auto rules = [&](const advice_setting& setting) {
    std::vector<std::string> found;
    for (const advice& each : advise_on({barrier()}, setting, notes)) found.push_back(each.rule);
    return found;
  };
  EXPECT_THAT(rules(taking(1.6, 1.5)), ElementsAre("sleeping"));
  EXPECT_THAT(rules(taking(1.6, 0.6)), ElementsAre("sleeping")) << "as two threads of one core may";
  EXPECT_THAT(rules(taking(1.6, std::nullopt)), ElementsAre("sleeping"));
  EXPECT_THAT(rules(taking(1.6, 0.4)), IsEmpty());
  advice_setting on_one_unit_in_some_runs = taking(0.5, 0.4);
  on_one_unit_in_some_runs.user_s.high = 1.6;
  EXPECT_THAT(rules(on_one_unit_in_some_runs), IsEmpty());
}

TEST(why_not_awake, is_told_of_threads_that_sleep_for_each_other) {
  EXPECT_THAT(why_not_awake({barrier()}, taking(1.6, 0.4)),
              HasSubstr("take 1.6 s of CPU time, and 0.4 s on one processing unit"));
  EXPECT_THAT(why_not_awake({barrier()}, taking(1.6, 0.6)), IsEmpty());
  EXPECT_THAT(why_not_awake({in_memory(0.9)}, taking(1.6, 0.4)), IsEmpty());
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
