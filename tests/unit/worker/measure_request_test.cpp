// The driver's request for a visit, right and wrong.
#include "core/worker/protocol.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace syncmeter::measure_request_test {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

json whole_request() {
  return json::parse(R"({"kind":"measure","id":2,"point":{"backend":"omp","op":"barrier","lanes":2},
    "pus":[3,-1],"visit":4,"resumed":true,"options":{"precision":0.02,"early_precision":0.002,"max_time_ns":3e7,
    "min_sample_ns":1e5,"seed":18446744073709551615,"trips":4294967295,"additivity":true,"rounds_at_once":16,
    "watch_states":true,"quiet_floor_ns":[510.5,511],"state_bounds_ns":[80]}})");
}

std::string mistake(const json& request) {
  try {
    (void)read_measure_request(request, 25);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "no mistake";
}

TEST(measure_request, is_read_member_by_member) {
  const measure_request r = read_measure_request(whole_request(), 25);
  EXPECT_EQ(r.where.op, "barrier");
  EXPECT_THAT(r.lanes.pus, ElementsAre(3, -1));
  EXPECT_EQ(r.lanes.device, -1);
  EXPECT_EQ(r.lanes.visit, 4U);
  EXPECT_TRUE(r.resumed && r.options.additivity && r.lanes.watch_states);
  EXPECT_EQ(r.options.precision, 0.02);
  EXPECT_EQ(r.options.early_precision, 0.002);
  EXPECT_EQ(r.options.rounds_at_once, 16U);
  EXPECT_EQ(r.options.max_time_ns, 3e7);
  EXPECT_EQ(r.options.min_sample_ns, 1e5);
  EXPECT_EQ(r.options.clock_tick_ns, 25);
  EXPECT_EQ(r.options.seed, 18446744073709551615U);
  EXPECT_EQ(r.options.trips, 4294967295U);
  EXPECT_THAT(r.lanes.quiet_floor_ns, ElementsAre(510.5, 511));
  EXPECT_THAT(r.options.state_bounds, ElementsAre(80));
}

TEST(measure_request, may_leave_out_all_but_point_and_pus) {
  const measure_request r =
      read_measure_request({{"point", {{"backend", "omp"}, {"op", "barrier"}}}, {"pus", {-1}}}, 25);
  EXPECT_EQ(r.lanes.visit, 1U);
  EXPECT_EQ(r.options.precision, visit_options{}.precision);
  EXPECT_EQ(r.options.early_precision, 0) << "a visit ends early only where it is asked to";
  EXPECT_EQ(r.options.rounds_at_once, 1U) << "samples are queued only where it is asked for";
  EXPECT_EQ(r.options.seed, visit_options{}.seed);
}

// Read as what they are not, a number beyond 2^63 is -1, and 1e300 or -1 is anything.
TEST(measure_request, refuses_numbers_that_do_not_fit_and_names_them) {
  struct wrong {
    const char *at, *value, *said;
  };
  for (const auto& [at, value, said] :
       {wrong{"/pus/0", "1e300", "\"pus\" is 1e+300, not a whole number from -1 to 2147483647"},
        wrong{"/pus/0", "18446744073709551615", "\"pus\" is 18446744073709551615"},
        wrong{"/pus/0", "-2", "\"pus\" is -2"}, wrong{"/pus", "2", "\"pus\" is 2, not a list"},
        wrong{"/visit", "0", "\"visit\" is 0, not a whole number from 1 to 1000000"},
        wrong{"/visit", "-1", "\"visit\" is -1"}, wrong{"/visit", "1.5", "\"visit\" is 1.5"},
        wrong{"/device", "18446744073709551615", "\"device\" is 18446744073709551615"},
        wrong{"/options", "[]", "\"options\" is [], not an object"},
        wrong{"/options/seed", "-1", "\"seed\" is -1"},
        wrong{"/options/trips", "4294967296", "\"trips\" is 4294967296"},
        wrong{"/options/precision", "-0.1", "\"precision\" is -0.1, not a number of at least 0"},
        wrong{"/options/max_time_ns", "\"1s\"", "\"max_time_ns\" is \"1s\""},
        wrong{"/options/quiet_floor_ns", "[-1]", "\"quiet_floor_ns\" is -1"}}) {
    json request = whole_request();
    request[json::json_pointer(at)] = json::parse(value);
    EXPECT_THAT(mistake(request), HasSubstr(said)) << at;
  }
}

TEST(measure_request, has_a_pu_for_each_lane) {
  json request = whole_request();
  request["pus"] = {0};
  EXPECT_THAT(mistake(request), HasSubstr("\"pus\" has 1 entries, but the point's \"lanes\" is 2"));
  request["pus"] = json::array();
  EXPECT_THAT(mistake(request), HasSubstr("\"pus\" is empty"));
  request["device"] = 0;
  EXPECT_EQ(mistake(request), "no mistake") << "a GPU's lanes have none";
}

}  // namespace
}  // namespace syncmeter::measure_request_test
