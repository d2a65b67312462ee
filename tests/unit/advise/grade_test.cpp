// How a gain is known, and which figures are printed for it.
#include "driver/advise/grade.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace syncmeter::grade_test {
namespace {

program_counts counts_of(std::vector<program_run> runs) {
  program_counts of{.command = {"app"},
                    .file = {},
                    .runs = std::move(runs),
                    .of_last_run = {},
                    .advices = {},
                    .notes = {}};
  of.of_last_run.processes = 1;
  of.of_last_run.sites = {
      {.kind = "mutex_lock", .module = "/bin/app", .count = 4'000'000, .threads = 2}};
  return of;
}
program_counts quiet(double counted_s = 1) {
  return counts_of({{.arm = "plain", .wall_s = 1},
                    {.arm = "count", .wall_s = counted_s},
                    {.arm = "time", .wall_s = 1}});
}
advice saving(double low_s, double high_s) {
  return {.rule = "readers", .site_id = 1, .at_most_s = high_s, .at_least_s = low_s, .run_s = 1};
}

TEST(grade_of, goes_by_what_is_known_of_the_gain) {
  const program_counts of = quiet();
  EXPECT_EQ(grade_of(saving(0, 0.5), of), grade::bound);
  EXPECT_EQ(grade_of(saving(0.2, 0.5), of), grade::predicted);
  EXPECT_EQ(grade_of(saving(0.01, 0.5), of), grade::bound) << "less than 2 % is no gain";
  EXPECT_EQ(grade_of(saving(0, 1), of), grade::undetermined) << "all of the run says nothing";
  EXPECT_EQ(grade_of(saving(0.2, 1), of), grade::predicted) << "a least gain does";
}

TEST(grade_of, counting_that_slows_the_program_leaves_what_goes_by_plain_runs) {
  const program_counts of = quiet(1.5);
  advice each = saving(0, 0.5);
  EXPECT_EQ(grade_of(each, of), grade::undetermined);
  each.of_plain_runs = true;
  EXPECT_EQ(grade_of(each, of), grade::bound);
}

TEST(grade_of, is_rough_under_load) {
  program_counts of = quiet();
  of.runs[2].other_cpu_share = 0.08;
  EXPECT_EQ(grade_of(saving(0, 0.5), of), grade::bound);
  of.runs[2].other_cpu_share = 0.12;
  EXPECT_EQ(grade_of(saving(0, 0.5), of), grade::rough);
  of = quiet();
  of.runs[0].stolen_cpu_share = 0.12;
  EXPECT_EQ(grade_of(saving(0, 0.5), of), grade::rough);
  of = quiet();
  of.runs.push_back({.arm = "plain", .wall_s = 1.6});
  EXPECT_EQ(grade_of(saving(0, 0.5), of), grade::rough);
}

TEST(expected_text, names_the_time_before_and_after) {
  EXPECT_EQ(expected_text(saving(0, 0.5), grade::bound), "1 s -> at best 0.5 s");
  EXPECT_EQ(expected_text(saving(0.25, 0.5), grade::predicted), "1 s -> 0.5 s to 0.75 s");
  EXPECT_EQ(expected_text(saving(0.25, 1), grade::predicted), "1 s -> at most 0.75 s");
  EXPECT_EQ(expected_text(saving(0, 0.5), grade::rough), "");
  EXPECT_EQ(expected_text(saving(0, 0.5), grade::undetermined), "");
}

TEST(expected_text, warns_of_a_loss_that_is_worth_a_word) {
  advice each = saving(0, 0.5);
  each.kind = "may_cost";
  EXPECT_EQ(expected_text(each, grade::bound), "1 s -> at best 0.5 s, or longer");
  each.at_most_s = 0.04;
  EXPECT_EQ(expected_text(each, grade::bound), "1 s -> at best 0.96 s");
}

TEST(advice_lines, have_no_seconds_that_are_not_known) {
  program_counts of = quiet();
  of.advices = {saving(0, 0.5), saving(0, 1)};
  const auto lines = advice_lines(of);
  const nlohmann::json &known = lines[2], &unknown = lines[3];
  EXPECT_EQ(known.at("grade"), "bound");
  EXPECT_EQ(known.at("saves_s").at("high"), 0.5);
  EXPECT_EQ(unknown.at("grade"), "unknown");
  EXPECT_TRUE(unknown.at("saves_s").is_null());
}

TEST(legend_of, explains_each_grade_once) {
  program_counts of = quiet();
  of.advices = {saving(0, 1), saving(0, 0.5), saving(0, 0.25)};
  EXPECT_EQ(legend_of(of).size(), 2U);
}

}  // namespace
}  // namespace syncmeter::grade_test
