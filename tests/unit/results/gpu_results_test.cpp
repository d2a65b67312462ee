// A GPU's points in summaries, tables, rates and CSV.
#include <sstream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "driver/show/table.hpp"
#include "tests/unit/driver_fixtures.hpp"

namespace syncmeter::gpu_results_test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

point gpu_point(const std::string& op, unsigned blocks, unsigned threads) {
  point p;
  p.backend = "cuda";
  p.op = op;
  p.blocks = blocks;
  p.lanes = threads;
  return p;
}

json gpu_visit(const point& what, unsigned number, double cycles, const std::string& family,
               bool cost_per_lane = false) {
  json line = fixtures::visit(what, number, "ok", {{}});
  line["pus"] = json::array();
  line["device"] = 0;
  line["family"] = family;
  line["pairing"] = "self";
  line["cost_per_lane"] = cost_per_lane;
  line["estimates"][0]["cost_cycles"] = {
      {"value", cycles}, {"low", cycles - 0.5}, {"high", cycles + 0.5}};
  return line;
}

point_summary summary_of(const std::vector<json>& visits) {
  return summarize(fixtures::file_of(visits)).front();
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

TEST(gpu_summary, cycles_are_combined_over_visits_as_the_cost_is) {
  const point p = gpu_point("vote_all", 1, 32);
  const point_summary s = summary_of(
      {gpu_visit(p, 1, 14, "warp"), gpu_visit(p, 2, 15, "warp"), gpu_visit(p, 3, 20, "warp")});
  EXPECT_DOUBLE_EQ(s.cost_cycles.value, 15);
  EXPECT_LT(s.cost_cycles.low, 15);
  EXPECT_EQ(s.device, 0U);
  EXPECT_TRUE(has_cycles(s));
  EXPECT_EQ(facts_of(s).family, "warp") << "no shared op: its repetitions say so";
  const point_summary cpu = summary_of({fixtures::visit(fixtures::atomic_add(), 1, "ok", {{}})});
  EXPECT_FALSE(has_cycles(cpu));
  EXPECT_FALSE(cpu.device);
  EXPECT_EQ(facts_of(cpu).family, "atomic") << "from the catalogue";
}

TEST(gpu_summary, rounds_that_were_queued_are_of_the_point) {
  const point p = gpu_point("vote_all", 1, 32);
  json queued = gpu_visit(p, 2, 14, "warp");
  queued["rounds_at_once"] = 16;
  EXPECT_EQ(summary_of({gpu_visit(p, 1, 14, "warp")}).rounds_at_once, 0U) << "left out";
  const point_summary s = summary_of({fixtures::visit(p, 1, "failed", {}), queued});
  EXPECT_EQ(s.rounds_at_once, 16U);
}

TEST(gpu_summary, a_lost_first_visit_does_not_hide_what_the_op_is) {
  const point p = gpu_point("vote_all", 1, 32);
  json lost = fixtures::visit(p, 1, "failed", {});
  EXPECT_EQ(facts_of(summary_of({lost, gpu_visit(p, 2, 14, "warp")})).family, "warp");
  EXPECT_EQ(facts_of(summary_of({lost})).family, "other");
}

TEST(gpu_rates, count_blocks_active_lanes_and_one_lane_of_each_warp) {
  const auto total = [](const point& p, const std::string& family, bool per_lane = false) {
    return rates_of(summary_of({gpu_visit(p, 1, 14, family, per_lane)})).value();
  };
  const double each = 1e9 / 2;  // the fixture's cost is 2 ns
  EXPECT_DOUBLE_EQ(total(gpu_point("atomic_and", 10, 64), "atomic").total, each * 640);
  point some = gpu_point("atomic_and", 10, 64);
  some.active = 8;
  EXPECT_DOUBLE_EQ(total(some, "atomic").total, each * 160);
  EXPECT_DOUBLE_EQ(total(gpu_point("named_barrier", 10, 64), "barrier").total, each * 10)
      << "a block does one together";
  EXPECT_DOUBLE_EQ(total(gpu_point("team_reduce", 10, 64), "group").total, each * 10)
      << "so does a team";
  point tiles = gpu_point("tile_reduce", 10, 64);
  tiles.size = 8;
  EXPECT_DOUBLE_EQ(total(tiles, "group").total, each * 640) << "threads, as of a shuffle";
  const rates handed = total(gpu_point("handoff", 10, 64), "handoff", true);
  EXPECT_DOUBLE_EQ(handed.total, each);
  EXPECT_DOUBLE_EQ(handed.per_lane, each / 20);
}

// A whole grid, a cluster, a thread of the host or several devices do one at a time.
TEST(gpu_rates, are_of_who_does_it_together) {
  const double each = 1e9 / 2;
  const auto total = [](point p, const char* family, const char* member, nlohmann::json value) {
    auto visit = gpu_visit(p, 1, 14, family);
    visit[member] = std::move(value);
    return rates_of(summary_of({visit})).value().total;
  };
  EXPECT_DOUBLE_EQ(total(gpu_point("grid_sync", 10, 64), "barrier", "launching", "cooperative"),
                   each);
  point clusters = gpu_point("cluster_sync", 10, 64);
  clusters.size = 2;
  EXPECT_DOUBLE_EQ(total(clusters, "barrier", "launching", "cluster"), each * 5);
  EXPECT_DOUBLE_EQ(total(gpu_point("reduce_max_cub", 10, 64), "reduction", "host_lane", true),
                   each);
  EXPECT_DOUBLE_EQ(total(gpu_point("multi_gpu_fetch_add", 10, 64), "atomic", "devices", {0, 1}),
                   each * 1280);
}

TEST(gpu_table, has_its_columns_only_where_a_row_has_them) {
  point p = gpu_point("atomic_and", 10, 64);
  const std::string plain = point_table({summary_of({gpu_visit(p, 1, 14, "atomic")})});
  EXPECT_THAT(first_line(plain),
              AllOf(HasSubstr("blocks  threads"), HasSubstr("cycles/op"), Not(HasSubstr("scope")),
                    Not(HasSubstr("flavour")), Not(HasSubstr("space")), Not(HasSubstr("active"))));
  EXPECT_THAT(plain, AllOf(HasSubstr("10       64"), HasSubstr("14.00"), HasSubstr("\natomic\n")));
  p.scope = scope::system;
  p.flavour = flavour::ptx;
  p.space = space::global;
  p.active = 8;
  p.waves = true;
  const point_summary all = summary_of({gpu_visit(p, 1, 14, "atomic")});
  EXPECT_THAT(first_line(point_table({all})), AllOf(HasSubstr("scope"), HasSubstr("flavour"),
                                                    HasSubstr("space"), HasSubstr("active")));
  EXPECT_THAT(point_table({all}),
              AllOf(HasSubstr("system"), HasSubstr("ptx"), HasSubstr("in waves")));
  EXPECT_THAT(short_name(p), HasSubstr("system ptx, 10 blocks of 64 threads, 8 of each warp"));
  const point_summary cpu = summary_of({fixtures::visit(fixtures::atomic_add(), 1, "ok", {{}})});
  EXPECT_THAT(first_line(point_table({cpu})),
              AllOf(Not(HasSubstr("blocks")), Not(HasSubstr("cycles")), HasSubstr("threads")));
  EXPECT_THAT(first_line(point_table({cpu, all})),
              AllOf(HasSubstr("blocks"), HasSubstr("threads")));
}

TEST(gpu_table, families_keep_together_whoever_knows_them) {
  const std::string table =
      point_table({summary_of({gpu_visit(gpu_point("vote_all", 1, 32), 1, 9, "warp")}),
                   summary_of({gpu_visit(gpu_point("named_barrier", 1, 32), 1, 9, "barrier")}),
                   summary_of({gpu_visit(gpu_point("barrier", 1, 32), 1, 9, "barrier")})});
  std::vector<std::string> firsts;
  std::istringstream in(table);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    firsts.push_back(word);
  }
  firsts.erase(firsts.begin());
  EXPECT_THAT(firsts,
              testing::ElementsAre("barrier", "barrier", "named_barrier", "warp", "vote_all"));
}

TEST(gpu_csv, has_cycles_and_the_device) {
  std::istringstream in(
      to_csv({summary_of({gpu_visit(gpu_point("vote_all", 1, 32), 1, 14, "warp")})}));
  std::vector<std::vector<std::string>> rows;
  for (std::string line; std::getline(in, line);) {
    line.pop_back();
    std::istringstream cells(line + ",");
    rows.emplace_back();
    for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(cell);
  }
  const auto cell = [&rows](const std::string& name) {
    const auto at = std::find(rows[0].begin(), rows[0].end(), name) - rows[0].begin();
    return rows[1].at(static_cast<std::size_t>(at));
  };
  EXPECT_EQ(cell("cost_cycles"), "14");
  EXPECT_EQ(cell("cost_low_cycles"), "13.5");
  EXPECT_EQ(cell("cost_high_cycles"), "14.5");
  EXPECT_EQ(cell("device"), "0");
  EXPECT_EQ(cell("family"), "warp");
}

TEST(gpu_plan_text, names_the_device) {
  campaign_plan plan;
  planned_point p;
  p.what = gpu_point("barrier", 10, 64);
  p.device = 1;
  p.visits = 3;
  plan.points = {p};
  EXPECT_THAT(plan_text(plan), HasSubstr("    on device 1, 3 repetitions\n"));
}

}  // namespace
}  // namespace syncmeter::gpu_results_test
