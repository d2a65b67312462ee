// The command line of `syncmeter run`: what is read, and what each mistake is told.
#include "driver/plan/options.hpp"

#include <regex>
#include <tuple>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "driver/text/parse_axes.hpp"

namespace syncmeter::options_test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

run_options parsed(const std::vector<std::string>& arguments) {
  return parse_run(arguments).options;
}

std::string mistake(const std::vector<std::string>& arguments) {
  try {
    (void)parse_run(arguments);
  } catch (const usage_error& error) {
    return error.what();
  }
  return "no mistake";
}

TEST(options, defaults_are_those_of_the_help) {
  const run_options o = parsed({});
  EXPECT_EQ(o.study, "quick");
  EXPECT_DOUBLE_EQ(o.precision, 0.01);
  EXPECT_DOUBLE_EQ(o.max_time_s, 0.15);
  EXPECT_DOUBLE_EQ(o.min_sample_us, 0) << "each kind of device has its own";
  EXPECT_FALSE(o.visits) << "a CPU's configurations and a GPU's differ";
  EXPECT_TRUE(o.ops.empty() && o.lanes.empty() && o.backends.empty());
  EXPECT_FALSE(o.budget_s || o.output || o.resume || o.csv || o.additivity || o.dry_run);
  const std::string help = std::regex_replace(run_help(), std::regex("\\s+"), " ");
  for (const char* text : {"(default: quick)", "(default: 0.01, no unit)", "150ms", "100us",
                           "(default: 5; on a GPU 3;"}) {
    EXPECT_THAT(help, HasSubstr(text));
  }
}

TEST(options, every_option_is_read) {
  const run_options o = parsed({"--backend",
                                "omp,cuda",
                                "--study=paper",
                                "--op",
                                "barrier,atomic_*",
                                "--type",
                                "int32,double",
                                "--layout",
                                "strided",
                                "--threads",
                                "1,4-8,max",
                                "--stride",
                                "0,16",
                                "--base-offset",
                                "0,32",
                                "--variables",
                                "1,2",
                                "--affinity",
                                "smt,none",
                                "--order",
                                "seq_cst",
                                "--wait",
                                "passive",
                                "--precision",
                                "0.05",
                                "--max-time",
                                "2s",
                                "--min-sample",
                                "1ms",
                                "--repetitions",
                                "7",
                                "--budget",
                                "5min",
                                "--output",
                                "o.jsonl",
                                "--csv",
                                "c.csv",
                                "--seed",
                                "18446744073709551615",
                                "--additivity",
                                "--oversubscribe",
                                "--dry-run"});
  EXPECT_THAT(o.backends, ElementsAre("omp", "cuda"));
  EXPECT_EQ(o.study, "paper");
  EXPECT_THAT(o.ops, ElementsAre("barrier", "atomic_*"));
  EXPECT_THAT(o.types, ElementsAre(value_type::int32, value_type::float64));
  EXPECT_THAT(o.placements, ElementsAre(placement::strided));
  EXPECT_THAT(o.lanes, ElementsAre(count_range{1, 1}, count_range{4, 8},
                                   count_range{.named = count_range::symbol::max}));
  EXPECT_THAT(o.strides, ElementsAre(0U, 16U));
  EXPECT_THAT(o.base_offsets, ElementsAre(0U, 32U));
  EXPECT_THAT(o.cells, ElementsAre(1U, 2U));
  EXPECT_THAT(o.affinities, ElementsAre(affinity::smt, affinity::none));
  EXPECT_THAT(o.orders, ElementsAre(order::seq_cst));
  EXPECT_THAT(o.waits, ElementsAre(wait_policy::passive));
  EXPECT_DOUBLE_EQ(o.precision, 0.05);
  EXPECT_DOUBLE_EQ(o.max_time_s, 2);
  EXPECT_DOUBLE_EQ(o.min_sample_us, 1000);
  EXPECT_EQ(o.visits, 7U);
  EXPECT_DOUBLE_EQ(o.budget_s.value(), 300);
  EXPECT_EQ(o.output, "o.jsonl");
  EXPECT_EQ(o.csv, "c.csv");
  EXPECT_EQ(o.seed, 18446744073709551615U);
  EXPECT_TRUE(o.additivity && o.oversubscribe && o.dry_run);

  // What a results file keeps of them plans the same points again.
  const auto again = nlohmann::json::parse(nlohmann::json(o).dump()).get<run_options>();
  const auto members = [](const run_options& all) {
    return std::tie(all.study, all.backends, all.ops, all.types, all.placements, all.lanes,
                    all.strides, all.base_offsets, all.cells, all.affinities, all.orders, all.waits,
                    all.precision, all.max_time_s, all.min_sample_us, all.visits, all.budget_s,
                    all.output, all.csv, all.seed, all.additivity, all.oversubscribe, all.dry_run);
  };
  EXPECT_EQ(members(again), members(o));
  EXPECT_EQ(nlohmann::json(again), nlohmann::json(o));
}

TEST(options, there_is_no_point_without_a_cell) {
  EXPECT_THAT(mistake({"--variables", "0"}),
              HasSubstr("--variables: '0' is not a whole number from 1 to 4096"));
}

TEST(options, pus_are_numbers_and_ranges_in_place_of_lanes_and_affinities) {
  const run_options o = parsed({"--cpus", "3,0,8-10", "--home", "other,first"});
  EXPECT_THAT(o.pus, ElementsAre(3, 0, 8, 9, 10));
  EXPECT_THAT(o.homes, ElementsAre(home::other, home::first));
  const auto again = nlohmann::json::parse(nlohmann::json(o).dump()).get<run_options>();
  EXPECT_EQ(again.pus, o.pus);
  EXPECT_EQ(again.homes, o.homes);
  for (const char* text : {"x", "3-", "-3", "9-8", "65536"})
    EXPECT_THAT(mistake({std::string("--cpus=") + text}),
                HasSubstr(std::string("--cpus: '") + text + "' is not the number of a CPU"))
        << text;
  EXPECT_EQ(mistake({"--cpus", "0-3,2"}),
            "--cpus: CPU 2 is named twice; each thread has a CPU of its own");
  EXPECT_THAT(mistake({"--cpus", "0,1", "--threads", "2"}),
              HasSubstr("--cpus: cannot be combined with --threads"));
  EXPECT_THAT(mistake({"--cpus", "0,1", "--affinity", "close"}),
              HasSubstr("--cpus: cannot be combined with --affinity"));
  EXPECT_THAT(mistake({"--home", "none"}), HasSubstr("'none' cannot be chosen"));
}

TEST(options, a_study_may_have_a_pace_of_its_own) {
  const run_options o = parsed({"--study", "core-to-core"});
  EXPECT_DOUBLE_EQ(o.precision, 0.02);
  EXPECT_DOUBLE_EQ(o.max_time_s, 0.03);
  EXPECT_DOUBLE_EQ(o.min_sample_us, 50);
  EXPECT_FALSE(o.visits) << "the plan knows how many pairs there are";
  const run_options paper = parsed({"--study", "paper"});
  EXPECT_DOUBLE_EQ(paper.max_time_s, 0.15);
  EXPECT_DOUBLE_EQ(paper.gpu_max_time_s, 0.018);
  EXPECT_DOUBLE_EQ(parsed({"--max-time", "1s", "--study", "paper"}).gpu_max_time_s, 1);
  EXPECT_DOUBLE_EQ(nlohmann::json(paper).get<run_options>().gpu_max_time_s, 0.018);
  const run_options many_rounds = parsed({"--study", "defaults"});
  EXPECT_DOUBLE_EQ(many_rounds.precision, 0.008);
  EXPECT_DOUBLE_EQ(many_rounds.gpu_max_time_s, 0.3);
  EXPECT_DOUBLE_EQ(many_rounds.min_sample_us, 0) << "each kind of device has its own";
  const run_options asked = parsed({"--precision", "0.005", "--study", "core-to-core"});
  EXPECT_DOUBLE_EQ(asked.precision, 0.005);
}

TEST(options, sizes_are_numbers_alone) {
  EXPECT_THAT(parsed({"--size", "1024,1073741824"}).sizes, ElementsAre(1024U, 1073741824U));
  EXPECT_THAT(mistake({"--size", "0"}), HasSubstr("--size: '0'"));
  EXPECT_THAT(mistake({"--size", "1-4"}), HasSubstr("--size: '1-4'"));
  EXPECT_THAT(mistake({"--size", "1073741825"}), HasSubstr("--size: '1073741825'"));
}

TEST(options, a_time_needs_a_known_unit) {
  EXPECT_DOUBLE_EQ(parsed({"--max-time", "1.5s"}).max_time_s, 1.5);
  EXPECT_DOUBLE_EQ(parsed({"--max-time", "150ms"}).max_time_s, 0.15);
  EXPECT_DOUBLE_EQ(parsed({"--min-sample", "5000ns"}).min_sample_us, 5);
  EXPECT_DOUBLE_EQ(parsed({"--budget", "2h"}).budget_s.value(), 7200);
  EXPECT_EQ(mistake({"--max-time", "1"}),
            "--max-time: '1' has no unit; write it as 1s, 1ms or 1min");
  EXPECT_THAT(mistake({"--max-time", "1sec"}),
              AllOf(HasSubstr("'sec'"), HasSubstr("ns, us, ms, s, min, h")));
  EXPECT_THAT(mistake({"--budget", "soon"}), HasSubstr("--budget: 'soon' is not a time"));
  EXPECT_THAT(mistake({"--budget", "-1s"}), HasSubstr("'-1s' is not a time"));
  EXPECT_THAT(mistake({"--budget", "nans"}), HasSubstr("'nans' is not a time"));
  EXPECT_THAT(mistake({"--budget", "0s"}), HasSubstr("not longer than 0"));
  EXPECT_THAT(mistake({"--min-sample", "1s"}),
              AllOf(HasSubstr("--min-sample"), HasSubstr("--max-time")));
}

TEST(options, lanes_are_numbers_ranges_or_max) {
  EXPECT_EQ(mistake({"--threads", "4x"}),
            "--threads: '4x' is not a number, a range such as 4-8, or max");
  for (const char* text : {"-3", "3-", "1-2-3", "+1", "1.5", "maximum", "99999999999999999999"}) {
    EXPECT_THAT(mistake({std::string("--threads=") + text}),
                HasSubstr(std::string("--threads: '") + text + "' is not a number"))
        << text;
  }
  EXPECT_THAT(mistake({"--threads", "0"}), HasSubstr("'0' is out of range"));
  EXPECT_THAT(mistake({"--threads", "5000"}), HasSubstr("'5000' is out of range"));
  EXPECT_THAT(mistake({"--threads", "8-4"}), HasSubstr("'8-4' is a descending range; write 4-8"));
  EXPECT_THAT(mistake({"--threads", "1,,2"}), HasSubstr("'1,,2' has an empty part"));
  EXPECT_THAT(mistake({"--threads", "1,2,"}), HasSubstr("has an empty part"));
}

TEST(options, unknown_names_list_what_is_allowed_and_the_nearest) {
  EXPECT_THAT(
      mistake({"--study", "quik"}),
      AllOf(HasSubstr("--study"), HasSubstr("did you mean 'quick'?"), Not(HasSubstr("scaling"))));
  EXPECT_THAT(mistake({"--study", "zzz"}),
              AllOf(Not(HasSubstr("did you mean")), HasSubstr("`--help`")));
  EXPECT_THAT(mistake({"--type", "duoble"}), HasSubstr("did you mean 'double'?"));
  EXPECT_THAT(mistake({"--order", "seqcst"}), HasSubstr("did you mean 'seq_cst'?"));
  EXPECT_THAT(mistake({"--affinity", "far"}), HasSubstr("allowed: none, close, spread, smt"));
  EXPECT_THAT(mistake({"--wait", "sleep"}), HasSubstr("allowed: active, passive"));
  EXPECT_THAT(mistake({"--layout", "none"}), HasSubstr("allowed: shared, strided"));
  EXPECT_THAT(mistake({"--thread", "1"}), HasSubstr("did you mean '--threads'?"));
}

TEST(options, numbers_are_checked) {
  EXPECT_THAT(mistake({"--precision", "1"}),
              HasSubstr("--precision: '1' is not a number above 0 and below 1"));
  EXPECT_THAT(mistake({"--precision", "0.01x"}), HasSubstr("'0.01x'"));
  EXPECT_THAT(mistake({"--repetitions", "0"}),
              HasSubstr("--repetitions: '0' is not a whole number from 1 to 1000"));
  EXPECT_THAT(mistake({"--seed", "-1"}), HasSubstr("--seed: '-1'"));
  EXPECT_THAT(mistake({"--seed", "18446744073709551616"}), HasSubstr("is not a whole number"));
  EXPECT_THAT(mistake({"--stride", "4,x"}), HasSubstr("--stride: 'x'"));
  EXPECT_THAT(mistake({"--base-offset", "4096"}),
              HasSubstr("--base-offset: '4096' is not a whole number from 0 to 4095"));
}

// Of the type alone that they are read as, 1e300 is anything and -1 is 4294967295.
TEST(options, numbers_in_a_results_file_are_checked_as_those_of_the_command_line) {
  const auto read = [](const char* member, const char* value) -> std::string {
    nlohmann::json written = run_options{};
    written[member] = nlohmann::json::parse(value);
    try {
      (void)written.get<run_options>();
    } catch (const usage_error& error) {
      return error.what();
    }
    return "no mistake";
  };
  EXPECT_THAT(read("device", "-1"), HasSubstr("device: '-1' is not a whole number from 0 to 1023"));
  EXPECT_THAT(read("device", "[0,1e300]"), HasSubstr("device: '1e+300'"));
  EXPECT_EQ(read("device", "[2,3]"), "no mistake");
  EXPECT_THAT(read("seed", "1e300"), HasSubstr("seed: '1e+300' is not a whole number"));
  EXPECT_EQ(read("seed", "18446744073709551615"), "no mistake");
}

TEST(options, the_shape_of_the_command_line_is_checked) {
  EXPECT_THAT(mistake({"--op", "a", "--op", "b"}), HasSubstr("--op: given more than once"));
  EXPECT_THAT(mistake({"--csv"}), HasSubstr("--csv needs a value"));
  EXPECT_THAT(mistake({"--dry-run=yes"}), HasSubstr("--dry-run takes no value"));
  EXPECT_THAT(mistake({"barrier"}), HasSubstr("unexpected argument 'barrier'"));
  EXPECT_THAT(mistake({"--csv", ""}), HasSubstr("--csv"));
  EXPECT_TRUE(parse_run({"--threads", "many", "--help"}).help) << "whatever else stands there";
}

TEST(options, a_resumed_campaign_takes_its_selection_from_the_file) {
  const run_options o =
      parsed({"--resume", "r.jsonl", "--retry", "--budget", "1min", "--csv", "c.csv"});
  EXPECT_EQ(o.resume, "r.jsonl");
  EXPECT_TRUE(o.retry);
  for (const char* option : {"--op=barrier", "--study=paper", "--seed=1", "--repetitions=3",
                             "--dry-run", "--output=x", "--additivity", "--precision=0.1"}) {
    const std::string name = std::string(option).substr(0, std::string(option).find('='));
    EXPECT_THAT(mistake({"--resume", "r.jsonl", option}),
                AllOf(HasSubstr(name + ": cannot be combined with --resume"), HasSubstr("--retry")))
        << option;
  }
  EXPECT_THAT(mistake({"--retry"}), HasSubstr("--retry: needs --resume FILE"));
}

}  // namespace
}  // namespace syncmeter::options_test
