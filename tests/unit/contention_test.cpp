// Throughput by cells and by distance, from costs made by hand.
#include "cli/contention.hpp"

#include <cmath>
#include <functional>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "cli/pinned_lanes.hpp"
#include "cli_fixtures.hpp"

namespace syncmeter::contention_test {
namespace {

using fixtures::visit;
using testing::AllOf;
using testing::DoubleNear;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

point on_cells(unsigned lanes, unsigned cells, affinity where = affinity::close) {
  point p = fixtures::atomic_add(lanes);
  p.placement = placement::strided;
  p.stride = 1024;
  p.cells = cells;
  p.affinity = where;
  return p;
}

struct placed {
  point what;
  double ns;
  std::vector<int> pus;
  unsigned state = 0;
};

// Two packages of two cores: PUs 0 and 1, 2 and 3.
results_file file_of(const std::vector<placed>& all,
                     const std::string& machine = "package:2 core:2 pu:1") {
  std::vector<nlohmann::json> visits;
  for (const placed& p : all) {
    for (unsigned n = 1; n <= 5; ++n) {
      const double ns = p.ns * std::pow(1.1, n) * ((n + p.what.cells) % 2 == 0 ? 1.002 : 0.998);
      visits.push_back(visit(
          p.what, n, "ok", {{.state = p.state, .cost = ns, .low = 0.99 * ns, .high = 1.01 * ns}}));
      visits.back()["pus"] = p.pus;
    }
  }
  const topology made_up = topology::synthetic(machine);
  results_file file = fixtures::file_of(std::move(visits));
  file.campaign["options"] = {{"study", "contention"}};
  file.campaign["units"] = units_json(made_up.units());
  return file;
}

results_file two_packages() {
  return file_of({{on_cells(1, 1), 5, {0}},
                  {on_cells(2, 1), 20, {0, 1}},
                  {on_cells(2, 2), 5, {0, 1}},
                  {on_cells(2, 1, affinity::spread), 60, {0, 2}, 1},
                  {on_cells(2, 2, affinity::spread), 5, {0, 2}, 1},
                  {on_cells(4, 1), 100, {0, 1, 2, 3}},
                  {on_cells(4, 2), 25, {0, 1, 2, 3}},
                  {on_cells(4, 4), 5, {0, 1, 2, 3}}});
}

TEST(contention, throughput_goes_up_with_the_cells) {
  const results_file file = two_packages();
  const auto points = summarize(file);
  const auto rows = contention_of(file, points);
  ASSERT_THAT(rows, SizeIs(4)) << "1, 2 and 4 lanes close, 2 spread";
  const contention_row& four = rows[2];
  EXPECT_EQ(four.what.lanes, 4U);
  EXPECT_THAT(four.by_cells.at(2).throughput_over_one.ratio.value, DoubleNear(4, 0.04));
  EXPECT_THAT(four.by_cells.at(4).throughput_over_one.ratio.value, DoubleNear(20, 0.2));
  EXPECT_EQ(four.by_cells.at(4).throughput_over_one.visits, 5U);
  EXPECT_THAT(four.over_alone.ratio.value, DoubleNear(0.2, 0.002))
      << "four lanes, each a twentieth as fast";
}

TEST(contention, the_farthest_lanes_of_a_cell_say_what_joins_it) {
  const results_file file = two_packages();
  const auto points = summarize(file);
  const auto rows = contention_of(file, points);
  const contention_row& four = rows[2];
  EXPECT_EQ(four.by_cells.at(1).joined_by, sharing::nothing);
  EXPECT_NE(four.by_cells.at(2).joined_by, sharing::nothing) << "neighbours share one";
  EXPECT_EQ(four.by_cells.at(4).joined_by, std::nullopt);
}

TEST(contention, near_lanes_are_compared_with_far_ones_across_states) {
  const results_file file = two_packages();
  const auto points = summarize(file);
  const auto rows = contention_of(file, points);
  const auto pairs = near_against_far(file, rows);
  ASSERT_THAT(pairs, SizeIs(1)) << "two lanes on one cell";
  EXPECT_EQ(pairs[0].near->affinities, "close");
  EXPECT_EQ(pairs[0].far->affinities, "spread");
  EXPECT_EQ(pairs[0].cells, 1U);
  EXPECT_THAT(pairs[0].far_over_near.ratio.value, DoubleNear(3, 1e-6));
}

TEST(contention, the_text_has_a_line_for_each_conclusion) {
  const results_file file = two_packages();
  EXPECT_THAT(contention_text(file, summarize(file)),
              AllOf(HasSubstr("- omp atomic_add, 4 lanes, close: on one cell 0.2 ("),
                    HasSubstr("times what one lane alone does; on 2 cells 4.0"),
                    HasSubstr("- omp atomic_add, 2 lanes on 1 cell: same "),
                    HasSubstr("other package (spread) "), HasSubstr(": 3.00 (3.00..3.00) times\n"),
                    Not(HasSubstr("cannot tell")),
                    HasSubstr("- left out by the study: types but int32")));
}

TEST(contention, one_domain_knows_nothing_of_far_lanes) {
  results_file file =
      file_of({{on_cells(1, 1), 5, {0}}, {on_cells(2, 1), 20, {0, 1}}, {on_cells(2, 2), 5, {0, 1}}},
              "l3:1 core:2 pu:1");
  EXPECT_THAT(contention_text(file, summarize(file)),
              HasSubstr("- cannot tell: all processing units here are in one domain (same L3), so "
                        "that there are no farther ones\n"));
  file.campaign.erase("units");
  EXPECT_THAT(contention_text(file, summarize(file)),
              HasSubstr("- cannot tell: the file does not say where its processing units are"));
}

TEST(contention, one_lane_knows_nothing_of_contention) {
  const results_file file = file_of({{on_cells(1, 1), 5, {0}}}, "core:1 pu:1");
  EXPECT_THAT(contention_text(file, summarize(file)),
              AllOf(HasSubstr("- cannot tell: no two lanes were measured"),
                    HasSubstr("- cannot tell: no two lanes shared a cell")));
}

TEST(contention, placements_that_share_their_measurements_share_a_row) {
  results_file file = file_of({{on_cells(2, 1), 20, {0, 1}}, {on_cells(2, 2), 5, {0, 1}}});
  for (const unsigned cells : {1U, 2U})
    file.same.push_back({{"kind", "same"},
                         {"point", on_cells(2, cells, affinity::smt)},
                         {"measured_as", on_cells(2, cells)},
                         {"why", "equal placement"}});
  const auto points = summarize(file);
  const auto rows = contention_of(file, points);
  ASSERT_THAT(rows, SizeIs(1));
  EXPECT_EQ(rows[0].affinities, "close, smt");
}

TEST(contention, a_file_of_another_study_has_no_such_table) {
  results_file file = two_packages();
  file.campaign["options"] = {{"study", "quick"}};
  EXPECT_THAT(contention_text(file, summarize(file)), IsEmpty());
}

}  // namespace
}  // namespace syncmeter::contention_test
