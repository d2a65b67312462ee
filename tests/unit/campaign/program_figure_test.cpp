// Which number of a program's output a metric reads, and which it does not.
#include "driver/campaign/program_figure.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "driver/text/messages.hpp"

namespace syncmeter::program_figure_test {
namespace {

program_figure read(const std::string& metric, const std::string& text) {
  std::string problem;
  const auto found = metric_expression(metric).find_in(text, problem);
  if (!found) return {.problem = "no match"};
  return read_figure(text, found->group, found->group_length, found->match, found->match_end,
                     metric);
}

TEST(MetricExpression, finds_a_figure_behind_a_long_line) {
  const std::string line = std::string(60'000, 'x') + " ops 5\nops 6\n";
  EXPECT_EQ(read(".*ops ([0-9]+)", line).value, 5);
  EXPECT_EQ(read("^ops ([0-9]+)$", line).value, 6);
}

TEST(MetricExpression, whose_search_does_not_end_has_a_problem) {
  std::string problem;
  const metric_expression expression("(a|aa)+b", 1);
  EXPECT_FALSE(expression.find_in(std::string(1000, 'a'), problem));
  EXPECT_NE(problem, "");
  problem.clear();
  EXPECT_FALSE(expression.find_in("ccc", problem));
  EXPECT_EQ(problem, "");
}

TEST(MetricExpression, has_a_bound) {
  EXPECT_NO_THROW(metric_expression(std::string(1000, 'a')));
  EXPECT_THROW(metric_expression(std::string(1001, 'a')), usage_error);
  EXPECT_THROW(metric_expression("("), usage_error);
}

struct example {
  const char* metric;
  const char* text;
};

TEST(ReadFigure, takes_no_part_of_a_number) {
  for (const auto& [metric, text] : std::vector<example>{
           {"([0-9.]+) requests", "1,234 requests"},
           {".*([0-9]+) requests", "1234 requests"},
           {".*?([0-9.]+) requests", "1,234 requests"},
           {"ops ([0-9]+)", "ops 1,234"},
           {"ops ([0-9]+)", "ops 5.5"},
           {"ops ([0-9.]+)", "ops 0,5"},
           {"ops ([0-9.]+)", "ops 1e+06"},
           {"ops ([0-9.]+)", "ops 1:05"},
           {"ops ([0-9.]+)", "ops 1'234"},
           {"([0-9.]+) ops", "-5 ops"},
           {"ops (.*)", "ops 1,234"},
           {"ops (.*)", "ops 1:05"},
           {"took (.*)", "took 2m1.5s"},
           {"took (.*)", "took 1h05"},
           {"[0-9.]+", "v1.2.3"},
       })
    EXPECT_NE(read(metric, text).problem.find(", of which --metric would read "), std::string::npos)
        << metric << " of " << text << ": " << read(metric, text).problem;
  EXPECT_EQ(read("([0-9.]+) requests", "12,345 requests").problem,
            "wrote '12,345', of which --metric would read 345: have it print one number in one "
            "unit, or the expression name the separator outside its parentheses");
}

TEST(ReadFigure, takes_a_whole_one_with_its_unit) {
  struct right {
    example of;
    double value;
    const char* unit;
  };
  for (const auto& [of, value, unit] : std::vector<right>{
           {{"(.*)", "3 s"}, 3, "s"},
           {{"(.*)", "1e3"}, 1000, ""},
           {{"(.*)", "0x10"}, 16, ""},
           {{"lat (.*)", "lat 937us"}, 937, "us"},
           {{"[0-9.]+ requests/s", "a 937.5 requests/s"}, 937.5, "requests/s"},
           {{"ops ([0-9]+)", "ops 937, of 8 threads"}, 937, ""},
           {{"ops ([0-9]+)", "ops 937 in 10 s"}, 937, "in"},
           {{"ops ([0-9]+)", "ops 937.\n"}, 937, ""},
           {{"([0-9.]+) ops", "12:30:05 937 ops"}, 937, "ops"},
           {{"([0-9.]+) ops", "threads 16: 937 ops"}, 937, "ops"},
           {{"lat ([0-9.]+)", "lat 5 ms 12 ms"}, 5, "ms"},
           {{"of 16 ([0-9]+)", "of 16 937 120"}, 937, ""},
           {{"^[0-9]+,([0-9]+),", "1000,937,12"}, 937, ""},
           {{"^([0-9]+),", "937,12"}, 937, ""},
           {{"^[0-9]+ ([0-9]+)", "4 937 us"}, 937, "us"},
           {{"^[0-9]+ ([0-9]+) [0-9]+$", "4 93 120"}, 93, ""},
           {{"p99:([0-9.]+)", "p99:1.5us"}, 1.5, "us"},
           {{"\"ops\":([0-9.]+)", "{\"n\":8,\"ops\":937,\"lat\":5}"}, 937, ""},
       }) {
    const program_figure figure = read(of.metric, of.text);
    EXPECT_EQ(figure.problem, "") << of.metric << " of " << of.text;
    EXPECT_EQ(figure.value, value) << of.metric << " of " << of.text;
    EXPECT_EQ(figure.unit, unit) << of.metric << " of " << of.text;
  }
}

TEST(ReadFigure, needs_a_number_above_0) {
  for (const char* text : {"ops none", "ops 0", "ops -5", "ops inf", "ops nan"})
    EXPECT_NE(read("ops (.*)", text).problem.find("where --metric looks for a number above 0"),
              std::string::npos)
        << text;
}

}  // namespace
}  // namespace syncmeter::program_figure_test
