// Files of `syncmeter ab` from before the arm was an axis are read as those of today.
#include "driver/results/results.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace syncmeter::arms_in_names_test {
namespace {

using nlohmann::json;

json visit_of(const std::string& backend, const json& more = json::object()) {
  json what{{"backend", backend}, {"op", "atomic_add"}, {"lanes", 1}};
  what.update(more);
  return {{"kind", "visit"},    {"point", what},     {"backend", backend},
          {"visit", 3},         {"status", "ok"},    {"build", "b1"},
          {"family", "atomic"}, {"pairing", "self"}, {"estimates", json::array()}};
}

results_file read(const json& campaign, std::vector<json> lines) {
  std::string text = campaign.dump() + "\n";
  for (const json& line : lines) text += line.dump() + "\n";
  return results_in("f", text);
}

const json today = {{"kind", "campaign"}, {"schema", {{"major", 1}, {"minor", 0}}}};

TEST(ArmsInNames, BecomeTheArmOfPointKeyAndWorker) {
  json campaign = today;
  campaign["ab"] = json::object();
  campaign["plan"]["backends"] = {{"omp@new", {{"points", 2}, {"visits", 20}}},
                                  {"omp@old", {{"points", 2}, {"visits", 20}}}};
  campaign["gpus"] = {{"cuda@old", "H200"}};
  json visit = visit_of("omp@old");
  visit["key"] = visits_key(visit["point"].get<point>(), "b1") + "3";
  const json same{{"kind", "same"},
                  {"point", visit_of("omp@new")["point"]},
                  {"measured_as", visit_of("omp@new", {{"lanes", 2}})["point"]}};
  const results_file file =
      read(campaign, {{{"kind", "worker"}, {"worker", "omp@old"}, {"arm", "old"}}, visit, same});
  ASSERT_EQ(file.visits.size(), 1U);
  const visit_record& read_visit = file.visits.front();
  const point& what = read_visit.point;
  EXPECT_EQ(what.backend, "omp");
  EXPECT_EQ(what.arm, "old");
  EXPECT_EQ(read_visit.backend, "omp");
  EXPECT_EQ(read_visit.key, visits_key(what, "b1") + "3");
  EXPECT_EQ(file.workers.front().at("worker"), "omp");
  ASSERT_EQ(file.same.size(), 1U);
  EXPECT_EQ(file.same.front().measured_as.arm, "new");
  EXPECT_EQ(file.campaign.at("/plan/backends/omp/visits"_json_pointer), 40);
  EXPECT_EQ(file.campaign.at("gpus").at("cuda"), "H200");
}

TEST(ArmsInNames, AreOfFilesThatCompareTwoBuildsOnly) {
  const results_file file = read(today, {visit_of("mine@home")});
  ASSERT_EQ(file.visits.size(), 1U);
  EXPECT_EQ(file.visits.front().backend, "mine@home");
}

}  // namespace
}  // namespace syncmeter::arms_in_names_test
