// Which visit lines are believed. Those that are not: tests/system/test_answers.py.
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

TEST(visit_flaw, an_answer_is_to_what_was_asked) {
  const json answer = visit(atomic_add(), 1, "ok", {{}});
  EXPECT_EQ(flaw_in_answer(answer, {{"point", atomic_add()}, {"visit", 1}}), "");
  EXPECT_THAT(flaw_in_answer(answer, {{"point", atomic_add()}, {"visit", 2}}),
              HasSubstr("for visit '1', not '2'"));
  point other = atomic_add();
  other.lanes += 1;
  EXPECT_THAT(flaw_in_answer(answer, {{"point", other}, {"visit", 1}}),
              HasSubstr("it measured the point"));
}

TEST(visit_flaw, an_answer_has_the_rounds_that_it_tells_of) {
  const json request{{"point", atomic_add()}, {"visit", 1}};
  json answer = visit(atomic_add(), 1, "ok", {{}});
  answer["rounds_kept"] = 40;
  answer["rounds_taken"] = 39;
  EXPECT_THAT(flaw_in_answer(answer, request), HasSubstr("kept 40 rounds of 39"));
  answer["rounds_taken"] = 41;
  answer["estimates"][0]["rounds"] = 41;
  EXPECT_THAT(flaw_in_answer(answer, request), HasSubstr("has 41 rounds, but the visit kept 40"));
  EXPECT_THAT(flaw_in_answer(visit(atomic_add(), 1, "ok", {}), request),
              HasSubstr("\"ok\" without an estimate"));
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
