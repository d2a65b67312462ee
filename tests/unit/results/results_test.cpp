// How the visits of a point become one estimate.
#include "driver/results/estimate.hpp"

#include <limits>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "driver/results/campaign_lines.hpp"
#include "driver/show/table.hpp"
#include "tests/unit/driver_fixtures.hpp"

namespace syncmeter::results_test {
namespace {

using fixtures::atomic_add;
using fixtures::estimate_values;
using fixtures::file_of;
using fixtures::visit;
using testing::AllOf;
using testing::HasSubstr;
using testing::SizeIs;

point_summary only(const std::vector<nlohmann::json>& visits) {
  const auto all = summarize(file_of(visits));
  EXPECT_THAT(all, SizeIs(1));
  return all.front();
}

std::vector<nlohmann::json> visits_of(const std::vector<estimate_values>& one_each) {
  std::vector<nlohmann::json> visits;
  for (const estimate_values& e : one_each) {
    visits.push_back(visit(atomic_add(), static_cast<unsigned>(visits.size() + 1), "ok", {e}));
  }
  return visits;
}

TEST(summarize, the_estimate_is_the_median_of_visits_with_their_range) {
  const point_summary s = only(
      visits_of({{.cost = 2.0}, {.cost = 2.1}, {.cost = 1.9}, {.cost = 2.05}, {.cost = 1.95}}));
  EXPECT_EQ(s.status, status::ok);
  EXPECT_EQ(s.visits, 5U);
  EXPECT_DOUBLE_EQ(s.cost_ns.value, 2.0);
  EXPECT_NEAR(s.cost_ns.low, 1.9, 1e-12);
  EXPECT_NEAR(s.cost_ns.high, 2.1, 1e-12);
  EXPECT_EQ(s.state_text, "");
  EXPECT_EQ(s.rounds_kept, 100U);
  EXPECT_EQ(s.rounds_dropped, 5U);
  EXPECT_DOUBLE_EQ(s.fairness, 0.98);
  EXPECT_DOUBLE_EQ(s.baseline_ns, 2.0);
  EXPECT_DOUBLE_EQ(s.test_ns, 4.0);
}

TEST(point_lines, have_the_median_of_the_owner_changes_that_visits_counted) {
  std::vector<nlohmann::json> visits = visits_of({{.cost = 2.0}, {.cost = 2.1}, {.cost = 1.9}, {}});
  EXPECT_FALSE(point_lines(file_of(visits)).front().contains("owner_changes"));
  for (const std::size_t i : {0U, 1U, 2U})
    visits[i]["owner_changes"] = 0.1 + 0.3 * static_cast<double>(i);
  EXPECT_DOUBLE_EQ(point_lines(file_of(visits)).front().at("owner_changes"), 0.4);
}

TEST(point_lines, have_nothing_of_lanes_that_no_visit_compares) {
  nlohmann::json line = visit(atomic_add(), 1, "ok", {{.cost = 2.0}});
  EXPECT_EQ(point_lines(file_of({line})).front().at("fairness"), 0.98);
  line.erase("fairness");
  line["slowest_over_fastest"] = nullptr;
  const nlohmann::json found = point_lines(file_of({line})).front();
  EXPECT_FALSE(found.contains("fairness"));
  EXPECT_FALSE(found.contains("slowest_over_fastest"));
}

TEST(point_lines, keep_the_smallest_numbers) {
  nlohmann::json line = visit(atomic_add(), 1, "ok", {{.cost = 2.0}});
  line["fairness"] = 1e-305;
  EXPECT_EQ(point_lines(file_of({line})).front().at("fairness"), 1e-305);
}

TEST(summarize, one_visit_has_a_cost_and_no_interval) {
  const point_summary s = only(visits_of({{.cost = 2.0, .low = 1.9, .high = 2.1}}));
  EXPECT_EQ(s.status, status::ok);
  EXPECT_TRUE(has_cost(s));
  EXPECT_EQ(s.cost_ns.value, 2.0);
  EXPECT_EQ(s.cost_ns.low, -std::numeric_limits<double>::infinity());
  EXPECT_EQ(s.cost_ns.high, std::numeric_limits<double>::infinity());
}

TEST(summarize, one_visit_that_saw_no_cost_is_not_resolved) {
  const point_summary s = only(visits_of({{.cost = 0.1, .low = -0.2, .high = 0.4}}));
  EXPECT_EQ(s.status, status::not_resolved);
  EXPECT_FALSE(has_cost(s));
}

// A passive barrier's visits: Student's t on their own scale held 0.
TEST(summarize, visits_that_scatter_by_tens_are_resolved) {
  const point_summary s =
      only(visits_of({{.cost = 24e3}, {.cost = 269e3}, {.cost = 568e3}, {.cost = 423e3}}));
  EXPECT_EQ(s.status, status::ok);
  EXPECT_GT(s.cost_ns.low, 0);
}

// Estimates at hops far apart are not mixed, even where each visit knew one state only.
TEST(summarize, states_are_told_apart_by_the_hop_over_the_whole_file) {
  auto visits =
      visits_of({{.cost = 2.0}, {.cost = 9.0}, {.cost = 2.1}, {.cost = 9.1}, {.cost = 1.9}});
  const std::vector hops{20.0, 60.0, 21.0, 61.0, 19.0};
  for (std::size_t v = 0; v < hops.size(); ++v) visits[v]["estimates"][0]["hop_ns"] = hops[v];
  const point_summary s = only(visits);
  EXPECT_EQ(s.visits, 3U);
  EXPECT_DOUBLE_EQ(s.cost_ns.value, 2.0);
  EXPECT_THAT(s.state_text, testing::HasSubstr("hop 20 ns"));
}

TEST(summarize, the_headline_is_quiet_and_near_however_often_another_state_came) {
  const estimate_values far{.state = 1, .rounds = 30, .cost = 50, .low = 49, .high = 51};
  const estimate_values near{.state = 0, .rounds = 6, .cost = 10, .low = 9.9, .high = 10.1};
  const auto two = [](unsigned number, const estimate_values& a, const estimate_values& b) {
    return visit(atomic_add(2), number, "ok", {a, b});
  };
  point_summary s = only({two(1, far, near), two(2, far, near)});
  EXPECT_DOUBLE_EQ(s.cost_ns.value, 10) << "the nearest, not the larger share";
  EXPECT_EQ(s.state_text, "state 0, quiet (17 %)");
  ASSERT_THAT(s.other_states, SizeIs(1));
  EXPECT_DOUBLE_EQ(s.other_states[0].cost_ns.value, 50);
  EXPECT_EQ(s.other_states[0].state_text, "state 1, quiet (83 %)");

  s = only({two(1, far, near), visit(atomic_add(2), 2, "ok", {far})});
  EXPECT_DOUBLE_EQ(s.cost_ns.value, 50) << "one of two visits saw the near one";

  estimate_values busy = near;
  busy.busy = true;
  s = only({two(1, far, busy), two(2, far, busy)});
  EXPECT_DOUBLE_EQ(s.cost_ns.value, 50) << "quiet goes before near";
  EXPECT_EQ(s.status, status::ok);

  estimate_values thin = near;
  thin.rounds = 4;
  s = only({two(1, far, thin), visit(atomic_add(2), 2, "ok", {thin}),
            visit(atomic_add(2), 3, "ok", {thin})});
  EXPECT_DOUBLE_EQ(s.cost_ns.value, 50) << "four rounds make no visit";
  EXPECT_EQ(s.visits, 1U);

  s = only({visit(atomic_add(2), 1, "ok", {thin})});
  EXPECT_DOUBLE_EQ(s.cost_ns.value, 10) << "thin is better than nothing";
}

TEST(summarize, quiet_visits_are_counted) {
  const estimate_values quiet{}, busy{.busy = true};
  const auto counted = [](std::vector<nlohmann::json> visits) {
    for (nlohmann::json& each : visits) each["pus"] = {0, 1};
    return quiet_visits(file_of(std::move(visits)));
  };
  const std::string name = canonical(atomic_add(2));
  EXPECT_EQ(counted({visit(atomic_add(2), 1, "ok", {quiet, busy}),
                     visit(atomic_add(2), 2, "ok", {busy}), visit(atomic_add(2), 3, "ok", {busy})}),
            (std::map<std::string, std::size_t>{{name, 1}}));
  EXPECT_EQ(counted({visit(atomic_add(2), 1, "ok", {quiet, busy}),
                     visit(atomic_add(2), 2, "ok", {quiet})}),
            (std::map<std::string, std::size_t>{{name, 2}}));
}

TEST(summarize, a_thin_visit_does_not_vote_beside_solid_ones) {
  const point_summary s = only(visits_of({{.cost = 2}, {.rounds = 4, .cost = 9}}));
  EXPECT_EQ(s.visits, 1U);
  EXPECT_EQ(s.cost_ns.value, 2);
}

TEST(summarize, a_state_has_a_number_only_where_there_are_several) {
  const estimate_values quiet{.rounds = 30}, busy{.busy = true, .rounds = 10};
  EXPECT_EQ(only({visit(atomic_add(), 1, "ok", {quiet, busy})}).state_text, "quiet (75 %)");
}

TEST(summarize, status_follows_the_interval) {
  EXPECT_EQ(only(visits_of({{.cost = 0.1, .low = -0.1, .high = 0.3}})).status,
            status::not_resolved);
  EXPECT_THAT(only(visits_of({{.cost = 0.1, .low = -0.1, .high = 0.3}})).reason,
              HasSubstr("at most 0.3 ns"));
  EXPECT_EQ(only(visits_of({{.cost = 0.1, .low = 0, .high = 0.3}})).status, status::not_resolved);
  const point_summary below =
      only(visits_of({{.cost = -1, .low = -1.2, .high = -0.8, .baseline = 5, .test = 4}}));
  EXPECT_EQ(below.status, status::interferes);
  EXPECT_THAT(below.reason, AllOf(HasSubstr("4 ns"), HasSubstr("5 ns")));
  EXPECT_EQ(only(visits_of({{.busy = true}})).status, status::busy);
  // One visit below 0 among others above: the interval over visits decides, not the visits.
  EXPECT_EQ(only(visits_of({{.cost = 2}, {.cost = 2.1}, {.cost = -3}})).status,
            status::not_resolved);
}

TEST(summarize, a_busy_point_whose_cycles_are_as_steady_as_a_quiet_ones_is_not_busy) {
  const auto status_of = [](const std::vector<double>& cycles, std::size_t quiet_visits = 0) {
    std::vector<nlohmann::json> visits;
    for (const double each : cycles) {
      const estimate_values state{.busy = visits.size() >= quiet_visits};
      visits.push_back(
          visit(atomic_add(), static_cast<unsigned>(visits.size() + 1), "ok", {state}));
      visits.back()["estimates"][0]["cost_cycles"] = {
          {"value", each}, {"low", each}, {"high", each}};
    }
    return only(visits).status;
  };
  EXPECT_EQ(status_of({20, 20.1, 20.19}), status::ok);
  EXPECT_EQ(status_of({20, 20.1, 20.3}), status::busy) << "1.5 % apart";
  EXPECT_EQ(status_of({20, 20.1}), status::busy) << "two visits may agree by chance";
  EXPECT_EQ(status_of({0, 0, 0}), status::busy) << "nobody counted cycles";
  EXPECT_EQ(status_of({20, 26, 26.1, 26.1}, 1), status::busy) << "a quiet visit found it cheaper";
}

TEST(summarize, a_failed_visit_goes_over_everything_and_noise_over_a_majority) {
  const auto with = [](const std::string& first, const std::string& second,
                       const std::string& third) {
    const auto e = [](const std::string& word) {
      return word == "ok" || word == "noisy" ? std::vector<estimate_values>{{}}
                                             : std::vector<estimate_values>{};
    };
    return only({visit(atomic_add(), 1, first, e(first)), visit(atomic_add(), 2, second, e(second)),
                 visit(atomic_add(), 3, third, e(third))});
  };
  const point_summary failed = with("ok", "timeout", "failed");
  EXPECT_EQ(failed.status, status::failed);
  EXPECT_EQ(failed.reason, "because of failed");
  EXPECT_EQ(with("ok", "timeout", "ok").status, status::timeout);
  EXPECT_EQ(with("too_slow", "too_slow", "too_slow").status, status::too_slow);
  EXPECT_EQ(with("unsupported", "unsupported", "unsupported").status, status::unsupported);
  EXPECT_EQ(with("noisy", "noisy", "ok").status, status::noisy);
  EXPECT_EQ(with("noisy", "ok", "ok").status, status::ok);
  EXPECT_EQ(only({visit(atomic_add(), 1, "noisy", {})}).status, status::noisy);
}

TEST(summarize, the_last_try_of_a_visit_counts) {
  const point_summary s =
      only({visit(atomic_add(), 1, "failed", {}), visit(atomic_add(), 2, "ok", {{}}),
            visit(atomic_add(), 1, "ok", {{.cost = 2.001}})});
  EXPECT_EQ(s.status, status::ok);
  EXPECT_EQ(s.visits, 2U);
}

TEST(summarize, unbounded_intervals_are_read_as_such) {
  nlohmann::json line = visit(atomic_add(), 1, "ok", {{}});
  line["estimates"][0]["cost_ns"]["high"] = nullptr;
  line["estimates"][0]["cost_ns"]["low"] = nullptr;
  const point_summary s = only({line});
  EXPECT_EQ(s.status, status::not_resolved);
  EXPECT_TRUE(std::isinf(s.cost_ns.high));
}

TEST(summarize, additivity_is_the_word_of_most_visits) {
  std::vector<nlohmann::json> visits = visits_of({{}, {}, {}});
  EXPECT_EQ(only(visits).additive, std::nullopt);
  for (std::size_t i = 0; i < 3; ++i) visits[i]["additivity"] = {{"additive", i == 0}};
  EXPECT_EQ(only(visits).additive, false);
  visits[1]["additivity"]["additive"] = true;
  EXPECT_EQ(only(visits).additive, true);
}

TEST(summarize, merged_and_refused_points_are_there_too) {
  results_file file = file_of({visit(atomic_add(), 1, "ok", {{}})});
  point spread = atomic_add();
  spread.affinity = affinity::spread;
  file.same = {{.what = spread, .measured_as = atomic_add(), .why = "w"},
               {.what = atomic_add(8), .measured_as = atomic_add(4), .why = "w"}};
  file.refused = {{.what = atomic_add(2), .status = status::elided, .reason = "nothing"}};
  const auto all = summarize(file);
  ASSERT_THAT(all, SizeIs(3)) << "what was never measured stands for nothing";
  EXPECT_EQ(all[1].what, spread);
  EXPECT_EQ(all[1].measured_as, canonical(atomic_add()));
  EXPECT_EQ(all[1].cost_ns, all[0].cost_ns);
  EXPECT_EQ(all[2].status, status::elided);
  EXPECT_EQ(all[2].reason, "nothing");
}

TEST(summarize, what_others_published_has_no_interval_and_keeps_its_status) {
  const auto published = [](double cost, const std::string& word) {
    nlohmann::json line = visit(atomic_add(), 1, word, {{.cost = cost}});
    line["imported"] = true;
    line["estimates"][0]["cost_ns"].update({{"low", nullptr}, {"high", nullptr}});
    return summarize(file_of({line})).at(0);
  };
  const point_summary s = published(2.5, "ok");
  EXPECT_EQ(s.status, status::ok);
  EXPECT_TRUE(has_cost(s));
  EXPECT_THAT(point_table({s}), testing::ContainsRegex(" 2.500 +unknown "));
  EXPECT_EQ(published(-1, "not_resolved").status, status::not_resolved);
  EXPECT_EQ(published(-1, "not_resolved").reason, "because of not_resolved");
  EXPECT_FALSE(has_cost(published(-1, "not_resolved")));
}

TEST(visits_key, tells_points_and_builds_apart) {
  const std::string key = visits_key(atomic_add(), "cafe");
  EXPECT_EQ(key, canonical(atomic_add()) + "|cafe|");
  point from_half = atomic_add();
  from_half.base_offset = 32;
  EXPECT_NE(visits_key(from_half, "cafe"), key);
  point on_two_cells = atomic_add();
  on_two_cells.cells = 2;
  EXPECT_NE(visits_key(on_two_cells, "cafe"), key);
}

}  // namespace
}  // namespace syncmeter::results_test
