// The summary as its readers see it: what each status prints, which columns are there, and what the
// notes say.
#include "driver/show/table.hpp"

#include <sstream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "driver/text/columns.hpp"
#include "tests/unit/driver_fixtures.hpp"

namespace syncmeter::table_test {
namespace {

using fixtures::atomic_add;
using fixtures::file_of;
using fixtures::measured;
using fixtures::visit;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;

point op_without_type(const std::string& op, unsigned lanes) {
  point p;
  p.backend = "omp";
  p.op = op;
  p.lanes = lanes;
  p.affinity = affinity::close;
  return p;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string line_with(const std::string& text, const std::string& part) {
  for (const std::string& line : lines_of(text)) {
    if (line.find(part) != std::string::npos) return line;
  }
  return "no line with " + part;
}

TEST(columns, cells_are_aligned_and_empty_columns_left_out) {
  columns table({{"name"}, {"never"}, {"number", columns::align::right}});
  table.row({"a", "", "1"});
  table.heading("group");
  table.row({"long name", "", "22"});
  EXPECT_EQ(table.text(), "  name       number\n"
                          "  a               1\n"
                          "group\n"
                          "  long name      22\n");
  EXPECT_THROW(table.row({"a"}), std::invalid_argument);
}

TEST(figures, four_digits_of_ns_and_prefixes_of_rates) {
  EXPECT_EQ(nanoseconds(0.10434), "0.1043");
  EXPECT_EQ(nanoseconds(2.3184), "2.318");
  EXPECT_EQ(nanoseconds(9.99996), "10.00");
  EXPECT_EQ(nanoseconds(45.678), "45.68");
  EXPECT_EQ(nanoseconds(456.78), "456.8");
  EXPECT_EQ(nanoseconds(45700.4), "45700");
  EXPECT_EQ(nanoseconds(0.0000234), "2.3e-05");
  EXPECT_EQ(upper_bound_ns(0.0000234), "0.0001");
  EXPECT_EQ(upper_bound_ns(0.03401), "0.0341") << "never below what it bounds";
  EXPECT_EQ(engineering(431.4e6), "431 M");
  EXPECT_EQ(engineering(1.3749e9), "1.37 G");
  EXPECT_EQ(engineering(22100), "22.1 k");
  EXPECT_EQ(engineering(999600), "1.00 M");
  EXPECT_EQ(engineering(3.2), "3.20");
}

TEST(figures, rates_follow_what_the_lanes_do_together) {
  const interval ten{10, 9, 11};
  const auto side_by_side = rates_of(measured(atomic_add(4), ten)).value();
  EXPECT_DOUBLE_EQ(side_by_side.per_lane, 1e8);
  EXPECT_DOUBLE_EQ(side_by_side.total, 4e8);
  const auto together = rates_of(measured(op_without_type("barrier", 4), ten)).value();
  EXPECT_DOUBLE_EQ(together.per_lane, 1e8);
  EXPECT_DOUBLE_EQ(together.total, 1e8) << "one barrier is one operation of all threads";
  const auto in_turn = rates_of(measured(op_without_type("handoff", 4), ten)).value();
  EXPECT_DOUBLE_EQ(in_turn.per_lane, 0.25e8);
  EXPECT_DOUBLE_EQ(in_turn.total, 1e8) << "one hop at a time";
  EXPECT_FALSE(rates_of(measured(op_without_type("fence_between_adds", 4), ten)))
      << "a marginal cost has no rate";
  EXPECT_FALSE(rates_of(measured(atomic_add(4), {0.1, -1, 1}, status::not_resolved)));
}

TEST(point_table, shows_cost_interval_rates_and_fairness) {
  const std::string row =
      line_with(point_table({measured(atomic_add(2), {2, 1.9, 2.1})}), "atomic_add");
  EXPECT_THAT(row, testing::MatchesRegex(" +atomic_add +int32 +shared +2 +2\\.000 "
                                         "+1\\.900\\.\\.2\\.100 +500 M +1\\.00 G +0\\.8[78]"));
}

TEST(point_table, a_cost_that_is_none_is_never_a_number) {
  const std::string not_resolved =
      line_with(point_table({measured(atomic_add(), {0.01, -0.02, 0.034}, status::not_resolved)}),
                "atomic_add");
  EXPECT_THAT(not_resolved,
              AllOf(HasSubstr("< 0.034"), HasSubstr("below resolution"), Not(HasSubstr("-0."))));
  const std::string interferes = line_with(
      point_table({measured(atomic_add(), {-1.5, -1.6, -1.4}, status::interferes)}), "atomic_add");
  EXPECT_THAT(interferes, AllOf(HasSubstr("negative difference"), HasSubstr("6.000 -> 4.500 ns"),
                                Not(HasSubstr("-1."))));
  const std::string noisy =
      line_with(point_table({measured(atomic_add(), {0.5, -1, 2}, status::noisy)}), "atomic_add");
  EXPECT_THAT(noisy, AllOf(HasSubstr("< 2.001"), HasSubstr("noisy"), Not(HasSubstr("0.5"))));
  const std::string failed =
      line_with(point_table({measured(atomic_add(), {2, 1.9, 2.1}, status::failed)}), "atomic_add");
  EXPECT_THAT(failed, AllOf(HasSubstr("failed"), Not(HasSubstr("2.0"))))
      << "no figure from a wrong result";
}

TEST(point_table, a_marginal_cost_stands_beside_both_absolute_times) {
  point p = atomic_add();
  p.op = "fence_between_adds";
  EXPECT_THAT(line_with(point_table({measured(p, {2, 1.9, 2.1})}), "fence_between_adds"),
              AllOf(HasSubstr("2.000"), HasSubstr("6.000 -> 8.000 ns/step")));
}

TEST(point_table, has_a_column_for_an_axis_only_where_it_varies) {
  point seq_cst = atomic_add();
  seq_cst.order = order::seq_cst;
  point spread = atomic_add();
  spread.affinity = affinity::spread;
  const interval two{2, 1.9, 2.1};
  const std::string plain =
      lines_of(point_table({measured(atomic_add(), two), measured(atomic_add(2), two),
                            measured(op_without_type("barrier", 1), two)}))
          .front();
  EXPECT_THAT(plain,
              AllOf(Not(HasSubstr("order")), Not(HasSubstr("affinity")), Not(HasSubstr("wait")),
                    Not(HasSubstr("backend")), Not(HasSubstr("repeat"))));
  EXPECT_THAT(lines_of(point_table({measured(atomic_add(), two), measured(seq_cst, two)})).front(),
              HasSubstr("order"));
  EXPECT_THAT(lines_of(point_table({measured(atomic_add(), two), measured(spread, two)})).front(),
              HasSubstr("affinity"));
}

TEST(point_table, rows_are_grouped_by_family_and_merged_points_share_one) {
  const interval two{2, 1.9, 2.1};
  point spread = atomic_add();
  spread.affinity = affinity::spread;
  point_summary merged = measured(spread, two);
  merged.measured_as = canonical(atomic_add());
  point_summary refused;
  refused.what = op_without_type("handoff", 1);
  refused.status = status::unsupported;
  point read = atomic_add();
  read.op = "atomic_read";
  point strange = atomic_add();
  strange.op = "of_a_third_party";
  const auto lines = lines_of(
      point_table({measured(strange, two), measured(read, two), merged, refused,
                   measured(atomic_add(), two), measured(op_without_type("barrier", 1), two)}));
  std::vector<std::string> firsts;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    std::istringstream line(lines[i]);
    std::string word;
    line >> word;
    firsts.push_back(word);
  }
  EXPECT_THAT(firsts, ElementsAre("barrier", "barrier", "atomic", "atomic_add", "atomic_read",
                                  "other", "of_a_third_party"));
  EXPECT_THAT(lines[4], HasSubstr("close, spread"));
}

TEST(point_table, equal_code_of_another_op_has_a_row_that_says_what_was_measured) {
  const interval two{2, 1.9, 2.1};
  point plain = atomic_add();
  plain.op = "plain_write";
  point plain_spread = plain;
  plain_spread.affinity = affinity::spread;
  point strided = atomic_add();
  strided.placement = placement::strided;
  std::vector<point_summary> points{measured(atomic_add(), two)};
  for (const point& p : {plain, plain_spread, strided}) {
    points.push_back(measured(p, two));
    points.back().measured_as = canonical(atomic_add());
  }
  const std::string table = point_table(points);
  EXPECT_THAT(line_with(table, "plain_write"),
              AllOf(HasSubstr("2.000"), HasSubstr("close, spread"), HasSubstr("= atomic_add")));
  EXPECT_EQ(lines_of(table).size(), 5U) << "two families of one row each:\n" << table;
}

TEST(point_table, a_state_is_named_where_there_are_several) {
  point_summary s = measured(atomic_add(), {2, 1.9, 2.1});
  s.state_text = "quiet (98 %)";
  EXPECT_THAT(line_with(point_table({s}), "atomic_add"), Not(HasSubstr("quiet")));
  s.state_text = "state 1, quiet (63 %)";
  EXPECT_THAT(line_with(point_table({s}), "atomic_add"), HasSubstr("state 1, quiet (63 %)"));
}

TEST(point_table, fits_120_columns_with_the_longest_names) {
  point p = atomic_add(256);
  p.op = "atomic_write_two_lines";
  p.type = value_type::float64;
  p.placement = placement::strided;
  p.stride = 64;
  for (const std::string& line : lines_of(point_table({measured(p, {1234.5, 1200, 1300})}))) {
    EXPECT_LE(line.size(), 120U) << line;
  }
}

TEST(summary_notes, failures_come_first_and_reasons_are_shared) {
  std::vector<point_summary> points{measured(atomic_add(), {2, 1.9, 2.1}),
                                    measured(atomic_add(2), {}, status::failed)};
  points[1].reason = "the variable holds 41, not 42";
  for (const char* op : {"atomic_cas_pass", "atomic_cas_fail"}) {
    point_summary s;
    s.what = op_without_type(op, 1);
    s.status = status::unsupported;
    s.reason = "this compiler has no `omp atomic compare`";
    points.push_back(s);
  }
  results_file file = file_of(
      {visit(atomic_add(), 1, "ok", {{.rounds = 30}, {.state = 1, .busy = true, .rounds = 10}})});
  file.end["reason"] = "budget";
  const auto notes = summary_notes(file, points).all;
  ASSERT_FALSE(notes.empty());
  EXPECT_THAT(notes.front(), AllOf(HasSubstr("failed: atomic_add int32"), HasSubstr("41, not 42")));
  EXPECT_THAT(notes, Contains("unsupported in omp: this compiler has no `omp atomic compare`: "
                              "atomic_cas_pass, atomic_cas_fail"));
  EXPECT_THAT(notes, Contains(AllOf(HasSubstr("not complete (budget)"),
                                    HasSubstr("--resume made-by-hand.jsonl"))));
  EXPECT_THAT(notes, Contains(AllOf(HasSubstr("vCPU placements"), HasSubstr("0 quiet 75 %"),
                                    HasSubstr("1 busy 25 %"))));
  EXPECT_THAT(notes, Contains(HasSubstr("busy: in 25.0 % of the sample pairs kept")));
  EXPECT_THAT(notes, Contains(HasSubstr("preempted 2.4 %"))) << "1 of 41 sample pairs";
  EXPECT_THAT(notes, Contains("0.01 s in all, 70 % of it inside timed loops and probes"));
}

TEST(summary_notes, a_clean_campaign_has_no_words_of_states_drops_or_incompleteness) {
  nlohmann::json line = visit(atomic_add(), 1, "ok", {{}});
  line["drops"]["preempted"] = 0;
  const auto notes = summary_notes(file_of({line}), {measured(atomic_add(), {2, 1.9, 2.1})}).all;
  EXPECT_THAT(notes, ElementsAre(HasSubstr("inside timed loops")));
}

TEST(summary_notes, what_was_said_of_lanes_and_gpus_before_the_run_is_said_again) {
  results_file file = file_of({visit(atomic_add(), 1, "ok", {{}})});
  file.campaign["lane_notes"] = {"threads share cores"};
  file.campaign["gpu_notes"] = {"GPU 1 was busy"};
  const auto notes = summary_notes(file, {measured(atomic_add(), {2, 1.9, 2.1})}).all;
  EXPECT_THAT(notes, IsSupersetOf({"threads share cores", "GPU 1 was busy"}));
}

TEST(point_table, of_many_pairs_of_pus_the_first_stand_for_the_others) {
  std::vector<point_summary> points;
  for (int partner = 1; partner <= 60; ++partner) {
    point pair = atomic_add(2);
    pair.pus = {0, partner};
    points.push_back(measured(pair, {2, 1.9, 2.1}));
  }
  const std::string text = point_table(points);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1 + 1 + 56 + 1) << text;
  EXPECT_THAT(text, testing::EndsWith("... and 4 more pairs of CPUs; --csv writes all\n"));
  points.resize(56);
  EXPECT_THAT(point_table(points), Not(HasSubstr("more pairs")));
}

TEST(plan_text, tells_points_places_merges_refusals_and_time) {
  campaign_plan plan;
  planned_point p;
  p.what = atomic_add(2);
  p.pus = {0, 3};
  point spread = p.what;
  spread.affinity = affinity::spread;
  p.same_as = {spread};
  p.why = "equal placement";
  plan.points = {p};
  plan.refused = {{.what = atomic_add(1), .status = "elided", .reason = "nothing there"}};
  plan.predicted_s = 0.04;
  const std::string text = plan_text(plan);
  EXPECT_THAT(text,
              AllOf(HasSubstr(canonical(p.what)), HasSubstr("on CPUs 0,3, 5 repetitions"),
                    HasSubstr("= " + canonical(spread)), HasSubstr("(equal placement)"),
                    HasSubstr("elided: nothing there"),
                    HasSubstr("Configurations to measure: 1, which also cover 1 equal one; not "
                              "supported: 1; about 0.04 s")));
  plan.points.front().same_as.clear();
  EXPECT_THAT(plan_text(plan),
              HasSubstr("\nConfigurations to measure: 1; not supported: 1; about 0.04 s"));
}

}  // namespace
}  // namespace syncmeter::table_test
