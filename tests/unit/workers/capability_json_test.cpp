// What a worker tells of itself, of its devices and of its ops' forms, right and wrong.
#include "driver/workers/worker_info.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
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

// Each flaw is named, and nothing of the line is used.
void expect_named(const json& well, const std::vector<flaw>& flaws) {
  for (const flaw& each : flaws) {
    json line = well;
    line[json::json_pointer(each.where)] = each.value;
    const worker_info info = read(line);
    for (const std::string& word : each.words)
      EXPECT_THAT(info.problem, HasSubstr(word)) << each.where;
    EXPECT_TRUE(info.capabilities.empty() && info.backends.empty() && info.gpus.empty() &&
                info.backend_problems.empty())
        << each.where;
  }
}

void expect_missing(json line, const char* object, const char* member) {
  line[json::json_pointer(object)].erase(member);
  EXPECT_THAT(read(line).problem, HasSubstr(fmt::format("\"{}\" is missing", member)));
}

TEST(capabilities, name_what_is_wrong_with_them) {
  expect_named(whole_line(),
               {
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
               });
  for (const char* member : {"protocol", "build", "backends", "ops"})
    expect_missing(whole_line(), "", member);
  expect_missing(whole_line(), "/ops/0", "supported");
}

json gpu_line() {
  return json::parse(R"({"kind":"capabilities","protocol":1,"worker":"cuda",
    "backends":[{"name":"cuda","clock":"device","device":{"architectures":["sm_90"],"devices":[
      {"index":2,"name":"NVIDIA H200","compute_capability":"9.0","multiprocessors":132,"max_threads_per_block":1024,
       "max_threads_per_multiprocessor":2048,"max_blocks_per_multiprocessor":32,"warp_size":32,"l2_bytes":52428800,
       "memory_bytes":150754820096,"uuid":"GPU-7","busy_percent":100}]}}],
    "build":{"id":"0011223344556677"},
    "ops":[{"backend":"cuda","op":"atomic_add","family":"atomic","type":"int32","order":"relaxed","placements":["shared"],
            "scope":"block","flavour":"atomic_ref","space":"shared_memory","some_lanes":true,"additivity":false,
            "supported":true,"symbols":["k0","k1"],"declares":{"sass":"ATOMS 1"}},
           {"backend":"cuda","op":"barrier","family":"barrier","supported":true}]})");
}

TEST(gpu_capabilities, are_read_member_by_member) {
  const worker_info info = read(gpu_line());
  EXPECT_EQ(info.problem, "");
  EXPECT_TRUE(info.backend_problems.empty());
  ASSERT_EQ(info.gpus.count("cuda"), 1U);
  const gpu_backend& gpus = info.gpus.at("cuda");
  EXPECT_THAT(gpus.architectures, ElementsAre("sm_90"));
  ASSERT_EQ(gpus.devices.size(), 1U);
  const gpu_device& gpu = gpus.devices.front();
  EXPECT_EQ(gpu.index, 2U);
  EXPECT_EQ(gpu.name, "NVIDIA H200");
  EXPECT_EQ(gpu.compute_capability, "9.0");
  EXPECT_EQ(gpu.uuid, "GPU-7");
  EXPECT_EQ(gpu.multiprocessors, 132U);
  EXPECT_EQ(gpu.max_threads_per_block, 1024U);
  EXPECT_EQ(gpu.max_threads_per_multiprocessor, 2048U);
  EXPECT_EQ(gpu.max_blocks_per_multiprocessor, 32U);
  EXPECT_EQ(gpu.warp_size, 32U);
  EXPECT_EQ(gpu.l2_bytes, 52428800U);
  EXPECT_EQ(gpu.devices, 1U) << "of the host, counted here";
  EXPECT_EQ(gpu.memory_bytes, 150754820096U);
  EXPECT_EQ(gpu.busy_percent, 100U);
  const capability& add = info.capabilities.at(0);
  EXPECT_EQ(add.scope, scope::block);
  EXPECT_EQ(add.flavour, flavour::atomic_ref);
  EXPECT_EQ(add.space, space::shared_memory);
  EXPECT_TRUE(add.some_lanes);
  EXPECT_FALSE(add.additivity);
  const capability& barrier = info.capabilities.at(1);
  EXPECT_EQ(barrier.scope, scope::none);
  EXPECT_FALSE(barrier.some_lanes);
  EXPECT_TRUE(barrier.additivity);
}

// nlohmann::json takes what is beyond 2^63 for a negative number when it compares.
TEST(gpu_capabilities, have_no_number_beyond_those_that_there_can_be) {
  for (const auto& [member, most] :
       {std::pair{"index", "1000000"}, std::pair{"busy_percent", "100"}}) {
    json line = gpu_line();
    line["backends"][0]["device"]["devices"][0][member] = 18446744073709551615U;
    EXPECT_THAT(
        read(line).problem,
        HasSubstr(fmt::format("\"{}\" is '18446744073709551615', not a whole number from 0 to {}",
                              member, most)));
  }
}

TEST(gpu_capabilities, a_problem_is_the_backends_and_its_ops_stay) {
  json line = gpu_line();
  line["backends"][0]["problem"] = "no CUDA driver";
  line["backends"][0]["device"]["devices"] = json::array();
  worker_info info = read(line);
  EXPECT_EQ(info.problem, "");
  EXPECT_EQ(info.backend_problems.at("cuda"), "no CUDA driver");
  EXPECT_EQ(info.capabilities.size(), 2U);
  line["backends"][0].erase("problem");
  EXPECT_EQ(read(line).backend_problems.at("cuda"), "no device found");
}

TEST(gpu_capabilities, name_what_is_wrong_with_them) {
  expect_named(
      gpu_line(),
      {
          {"/backends/0/device", "H200", {"backend 'cuda'", "\"device\"", "an object"}},
          {"/backends/0/device/devices", 1, {"\"devices\"", "a list"}},
          {"/backends/0/device/devices/0", 1, {"a list of objects"}},
          {"/backends/0/device/devices/0/index", -1, {"\"index\"", "-1"}},
          {"/backends/0/device/devices/0/busy_percent", 101U, {"\"busy_percent\"", "101"}},
          {"/backends/0/device/devices/0/multiprocessors", 0, {"\"multiprocessors\"", "0"}},
          {"/backends/0/device/devices/0/l2_bytes", "big", {"\"l2_bytes\"", "big", "bytes"}},
          {"/backends/0/problem", 3, {"\"problem\"", "a text"}},
          {"/ops/0/scope", "galaxy", {"atomic_add", "\"scope\"", "galaxy", "device, system"}},
          {"/ops/0/flavour", "sour", {"\"flavour\"", "sour", "atomic_ref, ptx"}},
          {"/ops/0/space", "outer", {"\"space\"", "outer", "shared_memory"}},
          {"/ops/0/additivity", 1, {"\"additivity\"", "true or false"}},
      });
  expect_missing(gpu_line(), "/backends/0/device/devices/0", "warp_size");
}

}  // namespace
}  // namespace syncmeter::capability_json_test
