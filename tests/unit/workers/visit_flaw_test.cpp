// Which visit lines are believed, and what is wrong with the others.
#include "driver/workers/visit_record.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "driver/results/campaign_lines.hpp"
#include "tests/unit/driver_fixtures.hpp"

namespace syncmeter::visit_flaw_test {
namespace {

using fixtures::atomic_add;
using fixtures::visit;
using nlohmann::json;
using testing::HasSubstr;

TEST(visit_flaw, there_is_none_in_what_workers_and_driver_write) {
  EXPECT_EQ(flaw_in_visit(visit(atomic_add(), 1, "ok", {{}, {.state = 1, .busy = true}})), "");
  EXPECT_EQ(flaw_in_visit(visit(atomic_add(), 2, "noisy", {})), "");
  EXPECT_EQ(
      flaw_in_visit(visit(atomic_add(), 2, "interferes", {{.cost = -2, .low = -3, .high = -1}})),
      "");
  planned_point planned;
  planned.what = atomic_add();
  EXPECT_EQ(flaw_in_visit(lost_visit_line(planned, 1, "timeout", "timeout", "late")), "");
}

TEST(visit_flaw, there_is_none_in_an_import_without_bounds) {
  json imported = visit(atomic_add(), 1, "ok", {{}});
  imported["estimates"][0]["cost_ns"] = {{"value", 2.0}, {"low", nullptr}, {"high", nullptr}};
  EXPECT_EQ(flaw_in_visit(imported), "");
}

TEST(visit_flaw, a_cost_below_zero_is_only_where_the_status_says_so) {
  const json request{{"point", atomic_add()}, {"visit", 1}};
  const auto answer = [](const char* status) {
    return visit(atomic_add(), 1, status, {{.cost = -2, .low = -3, .high = -1}});
  };
  EXPECT_THAT(flaw_in_answer(answer("busy"), request), HasSubstr("\"busy\" with a cost of -2"));
  EXPECT_EQ(flaw_in_answer(answer("interferes"), request), "");
}

TEST(visit_flaw, is_named_with_what_it_is) {
  const json request{{"point", atomic_add()}, {"visit", 1}};
  json well = visit(atomic_add(), 1, "ok", {{}});  // 20 rounds of 21
  well["elapsed_ns"] = 1e6;
  EXPECT_EQ(flaw_in_answer(well, request), "");
  struct row {
    const char *at, *value, *flaw;  // no value: the member is taken away
  };
  for (const auto& [at, value, flaw] : {
           row{"/estimates/0/cost_ns/value", "-5.0", "below its bounds"},
           row{"/estimates/0/cost_ns", R"({"value":-5,"low":-6,"high":-4})",
               "\"ok\" with a cost of -5 ns"},
           row{"/estimates/0/cost_ns/high", "1.95", "above its bounds"},
           row{"/estimates/0/cost_ns/value", "\"2.3\"", "not a number"},
           row{"/estimates/0/cost_ns/value", "null", "not a number"},
           row{"/estimates/0/cost_ns/value", nullptr, "has no value"},
           row{"/estimates/0/cost_ns", nullptr, "has no \"cost_ns\""},
           row{"/estimates/0/rounds", "1000000000000000000", "\"rounds\""},
           row{"/estimates/0/rounds", "21", "an estimate has 21 rounds, but the visit kept 20"},
           row{"/estimates", "[]", "\"ok\" without an estimate"},
           row{"/estimates", R"({"0":1})", "not a list"},
           row{"/rounds_taken", "3", "it kept 20 rounds of 3"},
           row{"/rounds_kept", "1000000000000000000", "\"rounds_kept\""},
           row{"/rounds_kept", "\"11\"", "\"rounds_kept\""},
           row{"/trips", "1.5", "\"trips\""},
           row{"/fairness", "7", "\"fairness\""},
           row{"/owner_changes", "1.01", "\"owner_changes\""},
           row{"/family", "7", "\"family\""},
           row{"/pus", R"(["0"])", "\"pus\""},
           row{"/drops", R"({"moved":-1})", "\"drops\""},
           row{"/rounds", R"([[1,"2"]])", "\"rounds\""},
           row{"/quiet_probe", R"({"floor_ns":[null]})", "\"floor_ns\""},
           row{"/point/op", "\"other\"", "op=other"},
           row{"/point/lanes", "\"1\"", "no readable point"},
           row{"/visit", "9", "it answered for visit"},
           row{"/status", "\"splendid\"", "unknown status"},
           row{"/estimates/0/cost_ns", R"({"value":1e300,"low":1e299,"high":2e300})",
               "not a number"},
           row{"/estimates/0/cost_ns", R"({"value":1e-300,"low":0,"high":1})",
               "beyond what any clock can tell"},
           row{"/estimates/0/cost_ns", R"({"value":1e9,"low":1e8,"high":1e10})",
               "does not fit into"},
           row{"/trips", "2147483648", "do not fit into its"},
           row{"/pus", "[0,1,2]", "its \"pus\" has 3 elements for 1 lanes"},
           row{"/quiet_probe", R"({"floor_ns":[1,1]})", "its \"floor_ns\" has 2 elements"},
       }) {
    json line = well;
    const json::json_pointer place{at};
    if (value == nullptr) line[place.parent_pointer()].erase(place.back());
    else line[place] = json::parse(value);
    EXPECT_THAT(flaw_in_answer(line, request), HasSubstr(flaw)) << at;
  }
}

TEST(visit_flaw, a_value_that_is_rounded_onto_its_bound_is_inside) {
  EXPECT_EQ(flaw_in_visit(visit(atomic_add(), 1, "ok",
                                {{.cost = 2.000001, .low = 2.0000011, .high = 2.0000009}})),
            "");
}

TEST(visit_flaw, members_of_a_newer_schema_may_be_anything) {
  json line = visit(atomic_add(), 1, "ok", {{}});
  line["from_tomorrow"] = {{"deep", json::array({1, "2"})}};
  EXPECT_EQ(flaw_in_visit(line), "");
}

}  // namespace
}  // namespace syncmeter::visit_flaw_test
