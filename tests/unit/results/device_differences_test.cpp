#include "driver/show/table.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "tests/unit/driver_fixtures.hpp"

namespace syncmeter::device_differences_test {
namespace {

using nlohmann::json;

// So many points, each visited once by each of two GPUs; the second costs `factor` times the first.
results_file two_gpus(unsigned points, double factor) {
  std::vector<json> visits;
  for (unsigned lanes = 1; lanes <= points; ++lanes) {
    for (const unsigned gpu : {0U, 1U}) {
      point p;
      p.backend = "cuda";
      p.op = "atomic_add";
      p.lanes = lanes;
      json line = fixtures::visit(p, gpu + 1, "ok", {{}});
      const double off = 1 + 0.001 * (lanes % 3);  // no two points scatter alike
      line["family"] = "atomic";
      line["visited_device"] = gpu;
      line["estimates"][0]["cost_ns"]["value"] = 10.0 * lanes * off * (gpu == 1 ? factor : 1);
      visits.push_back(std::move(line));
    }
  }
  return fixtures::file_of(visits);
}

TEST(device_differences, a_slower_gpu_is_found_with_its_ratio) {
  const auto found = device_differences(two_gpus(8, 1.1));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0].found);
  EXPECT_EQ(found[0].device, 1U);
  EXPECT_EQ(found[0].reference, 0U);
  EXPECT_EQ(found[0].points, 8U);
  EXPECT_EQ(found[0].family, "atomic");
  EXPECT_NEAR(found[0].ratio.value, 1.1, 1e-9);
}

TEST(device_differences, equal_gpus_do_not_differ) {
  const auto found = device_differences(two_gpus(8, 1.004));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_FALSE(found[0].found) << "less than half a percent is not worth a sentence";
}

TEST(device_differences, a_median_of_too_few_points_says_nothing) {
  EXPECT_TRUE(device_differences(two_gpus(5, 1.5)).empty());
}

TEST(device_differences, a_campaign_of_one_gpu_has_none) {
  results_file file = two_gpus(8, 1.1);
  for (visit_record& visit : file.visits) visit.visited_device.reset();
  EXPECT_TRUE(device_differences(file).empty());
}

}  // namespace
}  // namespace syncmeter::device_differences_test
