// A worker's word on itself, right and wrong.
#include "driver/workers/capability_json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace syncmeter::capability_json_test {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

json whole_line() {
  return json::parse(R"({"kind":"capabilities","protocol":1,"worker":"omp",
    "backends":[{"name":"omp","clock":"host lanes","portable":false}],
    "build":{"id":"0011223344556677","compiler":"g++"},
    "ops":[{"backend":"omp","op":"atomic_add","family":"atomic","pairing":"self","type":"int32","order":"relaxed",
            "placements":["shared","strided"],"unroll":32,"ops_per_step":2,"min_lanes":3,"communicates":true,
            "note":"n","supported":true,"code":["a","b"],"symbols":["s0","s1","s2","s4"],
            "declares":{"x86-64":"lock_rmw 1"}},
           {"backend":"omp","op":"fence","family":"fence","order":"seq_cst","placements":["none"],
            "supported":false,"reason":"no clause"}]})");
}

worker_info read(const json& line) {
  worker_info info;
  read_capabilities(line, info);
  return info;
}

TEST(capabilities, say_what_a_portable_backend_is_compared_with) {
  json line = whole_line();
  EXPECT_EQ(native_of({read(line)}, "omp"), "");
  line["backends"][0].update({{"name", "raja"}, {"portable", true}, {"native_of", "omp"}});
  const worker_info info = read(line);
  EXPECT_EQ(native_of({info}, "raja"), "omp");
  EXPECT_TRUE(is_portable({info}, "raja"));
  EXPECT_FALSE(is_portable({info}, "kokkos-openmp")) << "no name decides";
  line["backends"][0]["native_of"] = "";
  EXPECT_THAT(read(line).problem, HasSubstr("\"native_of\" is '\"\"', not the name of a backend"));
  line["backends"][0].erase("native_of");
  EXPECT_THAT(read(line).problem, HasSubstr("\"native_of\" is missing"));
}

TEST(capabilities, are_read_member_by_member) {
  const worker_info info = read(whole_line());
  EXPECT_EQ(info.problem, "");
  EXPECT_THAT(info.backends, ElementsAre("omp"));
  EXPECT_EQ(info.build.at("id"), "0011223344556677");
  ASSERT_EQ(info.capabilities.size(), 2U);
  const capability& add = info.capabilities[0];
  EXPECT_EQ(add.backend, "omp");
  EXPECT_EQ(add.op, "atomic_add");
  EXPECT_EQ(add.family, "atomic");
  EXPECT_EQ(add.pairing, "self");
  EXPECT_EQ(add.type, value_type::int32);
  EXPECT_EQ(add.order, order::relaxed);
  EXPECT_THAT(add.placements, ElementsAre(placement::shared, placement::strided));
  EXPECT_EQ(add.unroll, 32U);
  EXPECT_EQ(add.ops_per_step, 2U);
  EXPECT_EQ(add.min_lanes, 3U);
  EXPECT_TRUE(add.communicates);
  EXPECT_TRUE(add.supported);
  EXPECT_FALSE(add.empty_on_purpose);
  EXPECT_THAT(add.code, ElementsAre("a", "b"));
  EXPECT_THAT(add.symbols, ElementsAre("s0", "s1", "s2", "s4"));
  EXPECT_EQ(add.declares.at("x86-64"), "lock_rmw 1");
  EXPECT_EQ(add.note, "n");
  const capability& fence = info.capabilities[1];
  EXPECT_FALSE(fence.type);
  EXPECT_FALSE(fence.supported);
  EXPECT_EQ(fence.reason, "no clause");
}

struct flaw {
  const char* where;
  json value;
  std::vector<std::string> words;
};

TEST(capabilities, name_what_is_wrong_with_them) {
  const std::vector<flaw> flaws{
      {"/kind", "visit", {"\"kind\"", "visit"}},
      {"/protocol", 2, {"protocol 2", "this driver has 1"}},
      {"/build", "none", {"\"build\""}},
      {"/build/id", 7, {"\"id\"", "7"}},
      {"/backends", "omp", {"\"backends\""}},
      {"/ops", json::object(), {"\"ops\""}},
      {"/ops/0/type", "int99", {"atomic_add", "\"type\"", "int99", "int32, uint32"}},
      {"/ops/0/order", "sorted", {"\"order\"", "sorted", "seq_cst"}},
      {"/ops/0/placements", json{"shared", "moon"}, {"moon", "strided"}},
      {"/ops/0/unroll", 0, {"\"unroll\"", "0"}},
      {"/ops/0/unroll", -4, {"\"unroll\"", "-4"}},
      {"/ops/0/min_lanes", "two", {"\"min_lanes\"", "two"}},
      {"/ops/0/communicates", 1, {"\"communicates\"", "true or false"}},
      {"/ops/0/code", json{1, 2}, {"\"code\""}},
      {"/ops/0/declares", json{{"x86-64", 1}}, {"\"declares\""}},
      {"/ops/1/op", nullptr, {"\"op\""}},
      {"/ops/1", 5, {"\"ops\"", "5"}},
  };
  for (const flaw& each : flaws) {
    json line = whole_line();
    line[json::json_pointer(each.where)] = each.value;
    const worker_info info = read(line);
    for (const std::string& word : each.words)
      EXPECT_THAT(info.problem, HasSubstr(word)) << each.where;
    EXPECT_TRUE(info.capabilities.empty() && info.backends.empty()) << each.where;
  }
  for (const char* member : {"protocol", "build", "backends", "ops"}) {
    json line = whole_line();
    line.erase(member);
    EXPECT_THAT(read(line).problem, HasSubstr(std::string(member) + "\" is missing"));
  }
  json line = whole_line();
  line["ops"][0].erase("supported");
  EXPECT_THAT(read(line).problem, HasSubstr("\"supported\" is missing"));
}

}  // namespace
}  // namespace syncmeter::capability_json_test
