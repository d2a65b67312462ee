// What the results of pairs of PUs are shown as: a grid in the order of the topology, classes, both
// ways round, and colours where they are wanted.
#include "cli/pair_matrix.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "cli/pinned_lanes.hpp"
#include "cli/table.hpp"
#include "cli_fixtures.hpp"

namespace syncmeter::pair_matrix_test {
namespace {

using fixtures::visit;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

point handoff_on(int first, int second, const char* op = "handoff") {
  point p;
  p.backend = "omp";
  p.op = op;
  p.lanes = 2;
  p.pus = {first, second};
  p.home = home::first;
  return p;
}

nlohmann::json visit_of(const point& what, unsigned number, double ns, double hop_ns = 0) {
  auto line = visit(what, number, "ok", {{.cost = ns, .low = 0.99 * ns, .high = 1.01 * ns}});
  line["family"] = "handoff";
  line["cost_per_lane"] = true;
  if (hop_ns > 0) line["estimates"][0]["hop_ns"] = hop_ns;
  return line;
}

void add_pair(results_file& file, int first, int second, double ns, double back_ns) {
  for (unsigned n = 1; n <= 3; ++n) {
    const double drift = 1 + 0.001 * n;
    file.visits.push_back(visit_of(handoff_on(first, second), n, ns * drift));
    file.visits.push_back(visit_of(handoff_on(second, first), n, back_ns * drift));
  }
}

// Two packages of two cores; Linux' numbers alternate between them.
results_file two_packages() {
  results_file file = fixtures::file_of({});
  file.campaign["units"] = nlohmann::json::array();
  for (int os = 0; os < 4; ++os) {
    processing_unit unit;
    unit.os = os;
    unit.package = unit.numa = unit.l3 = os % 2;
    unit.l2 = unit.core = 2 * (os % 2) + os / 2;
    file.campaign["units"].push_back(units_json(std::vector{unit}).at(0));
  }
  file.campaign["machine"] = {{"numa_nodes", 2}};
  add_pair(file, 0, 2, 50, 50);
  add_pair(file, 1, 3, 60, 60);
  add_pair(file, 0, 1, 200, 202);
  add_pair(file, 0, 3, 210, 300);
  add_pair(file, 2, 1, 220, 220);
  return file;
}

struct shown {
  results_file file;
  std::vector<point_summary> points;
  std::vector<pair_matrix> matrices;
  explicit shown(results_file given)
      : file(std::move(given)), points(summarize(file)), matrices(pair_matrices(file, points)) {}
  [[nodiscard]] std::string text(bool coloured = false) const {
    return pair_matrix_text(file, matrices, coloured);
  }
};

TEST(pair_matrix, rows_and_columns_are_in_topology_order_with_intervals) {
  const shown s(two_packages());
  ASSERT_THAT(s.matrices, SizeIs(1));
  EXPECT_THAT(s.text(),
              HasSubstr("Core to core: omp, handoff, 2 lanes, home first: one way in ns"));
  EXPECT_THAT(s.text(), HasSubstr("  PU                0         2           1         3\n"
                                  "  0                 . 50.1+-0.1      200+-1    210+-1\n"
                                  "  2         50.1+-0.1         .      220+-1         .\n"
                                  "\n"
                                  "  1            202+-1    220+-1           . 60.1+-0.2\n"
                                  "  3            301+-1         .   60.1+-0.2         .\n"));
}

TEST(pair_matrix, a_class_has_its_median_and_range) {
  const shown s(two_packages());
  const auto classes = costs_by_class(s.matrices.at(0));
  ASSERT_THAT(classes, SizeIs(2));
  EXPECT_EQ(classes[0].which.shared, sharing::l3);
  EXPECT_EQ(classes[0].pairs, 2U);
  EXPECT_NEAR(classes[0].median_ns, 55 * 1.002, 1e-6);
  EXPECT_NEAR(classes[0].least_ns, 50 * 1.002, 1e-6);
  EXPECT_NEAR(classes[0].most_ns, 60 * 1.002, 1e-6);
  EXPECT_EQ(classes[1].which.shared, sharing::nothing);
  EXPECT_EQ(classes[1].pairs, 4U);
  EXPECT_EQ(classes[1].measured, 3U) << "PUs 2 and 3 were not";
  EXPECT_NEAR(classes[1].most_ns, 300 * 1.002, 1e-6);
  EXPECT_THAT(s.text(),
              AllOf(HasSubstr("same L3"), HasSubstr("3 of 4"), HasSubstr("200.4..300.6")));
}

TEST(pair_matrix, both_ways_round_are_compared_within_their_intervals) {
  const shown s(two_packages());
  const both_ways ways = compare_both_ways(s.matrices.at(0));
  EXPECT_EQ(ways.compared, 5U);
  EXPECT_EQ(ways.agree, 3U) << "of 200 and 202, and of 210 and 300, the intervals are apart";
  EXPECT_EQ(ways.farthest, std::pair(0, 3));
  EXPECT_NEAR(ways.most_share, 90.0 / 255, 1e-9);
  EXPECT_EQ(ways.median_share, 0);
  EXPECT_THAT(s.text(), HasSubstr("the intervals overlap in 3 of 5 pairs; they differ by 0.0 % in "
                                  "the median, by 35.3 % at most (PUs 0 and 3)"));
}

// Three passes, each 0.1 % dearer than the one before, of pairs at 50 to 300 ns.
TEST(pair_matrix, the_drift_of_the_machine_is_told_pass_by_pass) {
  const shown s(two_packages());
  const auto [least, most] = drift_of(s.file, s.matrices.at(0));
  EXPECT_NEAR(least, 201 * 1.001, 1e-6);
  EXPECT_NEAR(most, 201 * 1.003, 1e-6);
  EXPECT_THAT(s.text(), HasSubstr("from pass to pass (0.2 % apart)"));
  results_file one_pass = two_packages();
  std::erase_if(one_pass.visits, [](const auto& visit) { return visit.at("visit") != 1; });
  EXPECT_THAT(shown(std::move(one_pass)).text(), Not(HasSubstr("pass to pass")));
}

// A hypervisor that moved the lanes between the two ways makes no difference between them.
TEST(pair_matrix, ways_seen_in_different_placement_states_are_not_compared) {
  results_file file = two_packages();
  file.visits.clear();
  for (unsigned n = 1; n <= 3; ++n) {
    file.visits.push_back(visit_of(handoff_on(0, 2), n, 30, 28));
    file.visits.push_back(visit_of(handoff_on(2, 0), n, 110, 105));
    file.visits.push_back(visit_of(handoff_on(1, 3), n, 30, 28));
    file.visits.push_back(visit_of(handoff_on(3, 1), n, 31, 30));
  }
  const shown s(file);
  const both_ways ways = compare_both_ways(s.matrices.at(0));
  EXPECT_EQ(ways.other_state, 1U);
  EXPECT_EQ(ways.compared, 1U);
  EXPECT_THAT(s.text(), AllOf(HasSubstr("1 pairs not compared"), HasSubstr("hop ns")));
  EXPECT_DOUBLE_EQ(costs_by_class(s.matrices.at(0)).at(0).hop_ns, 29);
}

TEST(pair_matrix, a_cell_seen_in_several_states_or_busy_is_marked) {
  results_file file = two_packages();
  file.visits.clear();
  for (unsigned n = 1; n <= 3; ++n) {
    auto line = visit(handoff_on(0, 2), n, "ok",
                      {{.state = 0, .rounds = 30, .cost = 30, .low = 29, .high = 31},
                       {.state = 1, .rounds = 6, .cost = 90, .low = 89, .high = 91}});
    line["estimates"][0]["hop_ns"] = 28;
    line["estimates"][1]["hop_ns"] = 85;
    file.visits.push_back(line);
    file.visits.push_back(
        visit(handoff_on(2, 0), n, "ok", {{.busy = true, .cost = 44, .low = 43.9, .high = 44.1}}));
  }
  const shown s(file);
  EXPECT_THAT(s.text(), AllOf(HasSubstr("30.0+-0.0*"), HasSubstr("44.0+-0.0!")));
  EXPECT_THAT(s.text(), AllOf(HasSubstr("* seen in several"), HasSubstr("! a PU of the pair")));
  EXPECT_THAT(shown(two_packages()).text(), Not(HasSubstr("* seen in several")));
}

TEST(pair_matrix, colours_only_where_they_are_wanted_and_of_equal_width) {
  const shown s(two_packages());
  EXPECT_THAT(s.text(), Not(HasSubstr("\x1b")));
  std::string coloured = s.text(true);
  EXPECT_THAT(coloured, HasSubstr("\x1b[48;5;22m\x1b[38;5;15m50.1+-0.1\x1b[0m")) << "the least";
  EXPECT_THAT(coloured, HasSubstr("\x1b[48;5;88m\x1b[38;5;15m   301+-1\x1b[0m")) << "the most";
  for (auto at = coloured.find('\x1b'); at != std::string::npos; at = coloured.find('\x1b'))
    coloured.erase(at, coloured.find('m', at) - at + 1);
  EXPECT_EQ(coloured, s.text());
}

TEST(pair_matrix, noise_is_not_painted_as_a_difference) {
  results_file file = two_packages();
  file.visits.clear();
  add_pair(file, 0, 2, 50, 51);
  EXPECT_THAT(shown(file).text(true), AllOf(HasSubstr("48;5;22m"), Not(HasSubstr("48;5;88m"))));
}

TEST(pair_matrix, one_of_each_op_and_none_where_pus_are_not_named) {
  results_file file = two_packages();
  for (unsigned n = 1; n <= 3; ++n) {
    file.visits.push_back(visit_of(handoff_on(0, 2, "handoff_cas"), n, 70));
    file.visits.push_back(visit_of(handoff_on(2, 0, "handoff_cas"), n, 71));
    file.visits.push_back(visit_of(handoff_on(0, 2, "handoff_twice"), n, 90));
    file.visits.push_back(visit(fixtures::atomic_add(2), n, "ok", {{}}));
  }
  const shown s(file);
  EXPECT_THAT(s.matrices, SizeIs(2));
  const auto others = outside(s.matrices, s.points);
  ASSERT_THAT(others, SizeIs(2));
  EXPECT_EQ(others[0].what.op, "handoff_twice") << "one pair is a row of the table";
  EXPECT_EQ(others[1].what.op, "atomic_add");
  EXPECT_THAT(summary_text(s.file, s.points),
              AllOf(HasSubstr("atomic_add"), HasSubstr("home first")));
  file.campaign.erase("units");
  EXPECT_THAT(shown(file).matrices, SizeIs(0)) << "no topology, no order and no class";
  EXPECT_THAT(summary_text(file, summarize(file)), HasSubstr("0,2")) << "rows of a table then";
}

TEST(pair_matrix, one_numa_node_has_no_other_home) {
  results_file file = two_packages();
  EXPECT_THAT(shown(file).text(), Not(HasSubstr("one NUMA node")));
  file.campaign["machine"]["numa_nodes"] = 1;
  EXPECT_THAT(shown(file).text(), HasSubstr("home: there is one NUMA node"));
}

TEST(pair_matrix, many_pus_leave_the_intervals_and_then_the_grid_out) {
  results_file file = fixtures::file_of({});
  const auto some = topology::synthetic("core:20 pu:1"),
             large = topology::synthetic("core:65 pu:1");
  file.campaign["units"] = units_json(some.units());
  add_pair(file, 0, 1, 50, 51);
  const std::string twenty = shown(file).text();
  EXPECT_THAT(twenty, AllOf(HasSubstr(" 50.1 "), Not(HasSubstr("50.1+-")),
                            HasSubstr("the widest is +-0.3 %"), Not(HasSubstr("\n\n  1 "))));
  file.campaign["units"] = units_json(large.units());
  const std::string many = shown(file).text();
  EXPECT_THAT(many,
              AllOf(HasSubstr("a sample"), HasSubstr("1 of 2080"), Not(HasSubstr("\n  PU "))));
}

TEST(pair_matrix, a_pair_without_a_cost_shows_its_bound_or_its_status) {
  results_file file = two_packages();
  file.visits.push_back(visit(handoff_on(2, 3), 1, "failed", {}));
  for (unsigned n = 1; n <= 3; ++n)
    file.visits.push_back(visit(handoff_on(3, 2), n, "ok", {{.cost = n == 2 ? -20.0 : 20.0}}));
  EXPECT_THAT(shown(file).text(), HasSubstr(" failed\n"));
  EXPECT_THAT(shown(file).text(), testing::ContainsRegex(" <[1-9][0-9]+ "));
}

}  // namespace
}  // namespace syncmeter::pair_matrix_test
