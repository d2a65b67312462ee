// What a GPU's worker says of its devices and of its ops' forms, right and wrong.
#include "driver/workers/capability_json.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace syncmeter::gpu_capability_test {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

json whole_line() {
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

worker_info read(const json& line) {
  worker_info info;
  read_capabilities(line, info);
  return info;
}

TEST(gpu_capabilities, are_read_member_by_member) {
  const worker_info info = read(whole_line());
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
  for (const auto& [member, said] :
       {std::pair{"index", "a number from 0 to 1000000"}, std::pair{"busy_percent", "a percent"}}) {
    json line = whole_line();
    line["backends"][0]["device"]["devices"][0][member] = 18446744073709551615U;
    EXPECT_THAT(read(line).problem,
                HasSubstr(fmt::format("\"{}\" is '18446744073709551615', not {}", member, said)));
  }
}

TEST(gpu_capabilities, a_problem_is_the_backends_and_its_ops_stay) {
  json line = whole_line();
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
  struct flaw {
    const char* where;
    json value;
    std::vector<std::string> words;
  };
  const std::vector<flaw> flaws{
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
  };
  for (const flaw& each : flaws) {
    json line = whole_line();
    line[json::json_pointer(each.where)] = each.value;
    const worker_info info = read(line);
    for (const std::string& word : each.words)
      EXPECT_THAT(info.problem, HasSubstr(word)) << each.where;
    EXPECT_TRUE(info.gpus.empty() && info.backend_problems.empty()) << each.where;
  }
  json line = whole_line();
  line["backends"][0]["device"]["devices"][0].erase("warp_size");
  EXPECT_THAT(read(line).problem, HasSubstr("\"warp_size\" is missing"));
}

}  // namespace
}  // namespace syncmeter::gpu_capability_test
