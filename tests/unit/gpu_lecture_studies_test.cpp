// The tables of the studies of divergence and of coalescing, from costs made by hand.
#include <gmock/gmock.h>

#include "cli/coalescing_study.hpp"
#include "cli/divergence_study.hpp"

namespace syncmeter::gpu_lecture_studies_test {
namespace {

using testing::AllOf;
using testing::DoubleNear;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

point_summary measured(const std::string& op, double ns, unsigned size, unsigned blocks = 1,
                       unsigned threads = 32) {
  point_summary s;
  s.what = {.backend = "cuda", .op = op, .lanes = threads, .blocks = blocks, .size = size};
  s.cost_ns = {ns, 0.99 * ns, 1.01 * ns};
  s.visits = 3;
  s.device = 0;
  return s;
}

results_file of_study(const char* name) {
  results_file file;
  file.campaign["options"] = {{"study", name}};
  return file;
}

// 40 ns, and 10 more for each further path of a warp; selecting 5 ns a path.
std::vector<point_summary> branches() {
  std::vector<point_summary> points{measured("branch_uniform", 40, 0)};
  for (const unsigned paths : {1U, 2U, 8U, 32U}) {
    points.push_back(measured("branch_in_warp", 30 + 10.0 * paths, paths));
    points.push_back(measured("branch_predicated", 5.0 * paths, paths));
  }
  points.push_back(measured("branch_across_warps", 41, 32, 1, 1024));
  return points;
}

TEST(divergence_study, further_paths_cost_their_slope) {
  const auto points = branches();
  const auto tables = divergence_tables(points);
  ASSERT_THAT(tables, SizeIs(2)) << "one for each launch";
  EXPECT_THAT(tables[0].in_warp.slope_ns().value(), DoubleNear(10, 1e-9));
  EXPECT_THAT(tables[0].predicated.slope_ns().value(), DoubleNear(5, 1e-9));
  EXPECT_EQ(tables[0].in_warp.at(8)->cost_ns.value, 110);
  EXPECT_EQ(tables[0].in_warp.at(3), nullptr);
  EXPECT_EQ(tables[1].across_warps.slope_ns(), std::nullopt) << "one point has none";
}

TEST(divergence_study, the_text_says_slopes_and_what_is_cheaper_without_a_branch) {
  const std::string text = divergence_text(of_study("divergence"), branches());
  EXPECT_THAT(text, AllOf(HasSubstr("1 block of 32 threads"), HasSubstr("1 block of 1024 threads"),
                          HasSubstr("- one path for all lanes: 40.00 ns"),
                          HasSubstr("- paths inside a warp: each further path adds 10.00 ns (40.00 "
                                    "to 350.0 ns, 1 to 32 paths)"),
                          HasSubstr("it is cheaper up to 32 paths")));
  EXPECT_THAT(divergence_text(of_study("quick"), branches()), IsEmpty());
}

// 256 blocks of 1024 are 8192 warps: 8192 ns are 1 ns for a warp's load.
std::vector<point_summary> loads() {
  return {measured("load_coalesced", 8192, 0, 256, 1024),
          measured("load_strided", 8 * 8192, 32, 256, 1024),
          measured("load_broadcast", 2048, 0, 256, 1024),
          measured("load_random", 5 * 8192, 0, 256, 1024),
          measured("load_latency_strided", 700, 32),
          measured("load_strided_l2", 4096, 32, 256, 1024),
          measured("bank_conflict", 64, 32, 1, 1024)};
}

TEST(coalescing_study, bytes_moved_for_a_useful_one_come_from_the_time) {
  const auto points = loads();
  const auto rows = pattern_rows(points);
  ASSERT_THAT(rows, SizeIs(5));
  EXPECT_EQ(rows[0].pattern, "coalesced");
  EXPECT_EQ(rows[0].ns, 1);
  EXPECT_EQ(rows[0].moved_per_useful, 1);
  EXPECT_EQ(rows[1].pattern, "broadcast");
  EXPECT_EQ(rows[1].moved_per_useful, 8) << "a quarter of the time, for 4 bytes of 128";
  EXPECT_EQ(rows[2].moved_per_useful, 8);
  EXPECT_EQ(rows[2].latency->cost_ns.value, 700);
  EXPECT_EQ(rows[3].pattern, "random");
  EXPECT_EQ(rows[3].moved_per_useful, 4) << "without the load of the words' numbers";
  EXPECT_TRUE(rows[4].in_l2);
  EXPECT_EQ(rows[4].moved_per_useful, 0) << "no coalesced load of L2 to compare with";
}

TEST(coalescing_study, the_text_has_a_table_for_each_level_and_for_banks) {
  const std::string text = coalescing_text(of_study("coalescing"), loads());
  EXPECT_THAT(
      text,
      AllOf(HasSubstr("Loads of a warp from device memory"), HasSubstr("Loads of a warp from L2"),
            HasSubstr("Bank conflicts"),
            HasSubstr("- device memory: coalesced loads bring 128 useful bytes per "
                      "ns; strided by 32 takes the longest, 8 times as long for a useful byte")));
  EXPECT_THAT(coalescing_text(of_study("quick"), loads()), IsEmpty());
}

}  // namespace
}  // namespace syncmeter::gpu_lecture_studies_test
