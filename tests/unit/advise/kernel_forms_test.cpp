// Which form of an operation a kernel has that may be narrower, and what the prices of both say.
#include "driver/advise/kernel_forms.hpp"

#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "driver/advise/device_code.hpp"

namespace syncmeter::kernel_forms_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// The sites of a kernel that took the GPU half a second.
std::vector<site> ran(const std::vector<std::string>& code) {
  device_code_reader reader("/bin/app");
  reader.add_line(".text._Z4workPj:", "sm_90");
  unsigned address = 0;
  for (const std::string& line : code) {
    const bool is_code = !line.starts_with('.') && !line.starts_with("//");
    reader.add_line(is_code ? "/*" + std::to_string(1000 + address) + "*/ " + line : line, "sm_90");
    address += is_code ? 10 : 0;
  }
  std::vector<site> sites = reader.finish();
  for (site& each : sites)
    each.code->ran = kernel_times{
        .symbol = "_Z4workPj", .blocks = 1000, .block_threads = 256, .launches = 7, .busy_s = 0.5};
  return sites;
}

/// Each point of these sites by its op and scope at such a cost.
std::vector<advice> advised(const std::vector<site>& sites,
                            const std::map<std::string, double>& costs) {
  advice_setting setting{.wall_s = 1};
  for (const point& each : points_of_forms(sites, 132)) {
    const auto cost = costs.find(each.op + " " + std::string(to_text(each.scope)));
    if (cost == costs.end()) continue;
    price one;
    one.what = each;
    one.cost_ns = {cost->second, cost->second, cost->second};
    setting.prices.push_back(one);
  }
  return advise_on_forms(sites, setting);
}

const std::string at_line_8 = "//## File \"/src/a.cu\", line 8";
const std::vector<std::string> ordered{".L_x_1:",
                                       at_line_8,
                                       "MEMBAR.SC.SYS ;",
                                       "ERRBAR ;",
                                       "ATOM.E.ADD.STRONG.SYS PT, RZ, [R4], R7 ;",
                                       at_line_8,
                                       "@P0 BRA `(.L_x_1) ;",
                                       "EXIT ;"};

TEST(kernel_forms, sequential_consistency_at_system_scope_is_priced_as_compiled) {
  const std::vector<site> sites = ran(ordered);
  const std::vector<point> points = points_of_forms(sites, 132);
  ASSERT_THAT(points, SizeIs(2));
  EXPECT_EQ(points[0].op, "atomic_add");
  EXPECT_EQ(points[0].scope, scope::system);
  EXPECT_EQ(points[0].order, order::seq_cst);
  EXPECT_EQ(points[0].type, value_type::int32) << "other types have no scopes and orders";
  EXPECT_EQ(points[1].scope, scope::device);
  EXPECT_EQ(points[1].order, order::relaxed);
  // Four blocks of 256 threads for each multiprocessor.
  EXPECT_EQ(points[0].blocks, 528U);
  EXPECT_EQ(points[0].lanes, 256U);
  const auto found = advised(sites, {{"atomic_add system", 1000}, {"atomic_add device", 50}});
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].rule, "atomic_order");
  EXPECT_EQ(found[0].site_id, 2U);
  EXPECT_EQ(found[0].kind, "range");
  EXPECT_NEAR(found[0].at_most_s, 0.475, 1e-9);
  EXPECT_THAT(found[0].text,
              AllOf(HasSubstr("work a.cu:8: the kernel has"), HasSubstr("a loop of 4 instructions"),
                    HasSubstr("takes the GPU 0.5 s in 7 launches"),
                    HasSubstr("system scope, seq_cst (528 x 256 threads) takes 1 us"),
                    HasSubstr("device scope, relaxed (528 x 256 threads) takes 50 ns")));
}

TEST(kernel_forms, without_both_prices_or_a_difference_nothing_is_advised) {
  EXPECT_THAT(advised(ran(ordered), {{"atomic_add system", 1000}}), IsEmpty());
  EXPECT_THAT(advised(ran(ordered), {{"atomic_add system", 55}, {"atomic_add device", 50}}),
              IsEmpty());
}

TEST(kernel_forms, prices_on_the_grid_of_a_smaller_kernel_are_none_of_this_one) {
  const std::vector<site> sites = ran(ordered);
  advice_setting setting{.wall_s = 1};
  for (point each : points_of_forms(sites, 132)) {
    const double ns = each.scope == scope::system ? 1000 : 50;
    for (const auto& [blocks, cost_ns] : {std::pair(8U, 40.0), std::pair(each.blocks, ns)}) {
      price one;
      one.what = each;
      one.what.blocks = blocks;
      one.cost_ns = {cost_ns, cost_ns, cost_ns};
      setting.prices.push_back(one);
    }
  }
  const auto found = advise_on_forms(sites, setting);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_NEAR(found[0].at_most_s, 0.475, 1e-9);
}

TEST(kernel_forms, plain_updates_and_barriers_of_the_hardware_are_none) {
  EXPECT_THAT(points_of_forms(ran({".L_x_1:", "RED.E.ADD.STRONG.GPU [R2], R5 ;",
                                   "BAR.SYNC.DEFER_BLOCKING 0x0 ;", "@P0 BRA `(.L_x_1) ;"}),
                              132),
              IsEmpty());
  // One thread of the block waits for others, and the block for it: a barrier of the grid.
  EXPECT_THAT(points_of_forms(ran({".L_x_1:", "BAR.SYNC.DEFER_BLOCKING 0x0 ;",
                                   "@P0 ATOMG.E.ADD.STRONG.GPU PT, R7, [R2], R7 ;",
                                   ".L_x_2:", "LDG.E.STRONG.GPU R7, [R2] ;", "@!P0 BRA `(.L_x_2) ;",
                                   "@P1 BRA `(.L_x_1) ;"}),
                              132),
              IsEmpty());
  // A fence of the device may be for other blocks.
  EXPECT_THAT(points_of_forms(ran({".L_x_1:", "MEMBAR.SC.GPU ;", "@P0 BRA `(.L_x_1) ;"}), 132),
              IsEmpty());
}

TEST(kernel_forms, a_kernel_that_does_much_else_has_none) {
  std::vector<std::string> code = ordered;
  code.insert(code.begin() + 5, 500, "IADD3 R1, R1, R2, RZ ;");
  EXPECT_THAT(points_of_forms(ran(code), 132), IsEmpty());
}

TEST(kernel_forms, one_that_did_not_run_has_none) {
  std::vector<site> sites = ran(ordered);
  for (site& each : sites) each.code->ran.reset();
  EXPECT_THAT(points_of_forms(sites, 132), IsEmpty());
}

TEST(kernel_forms, a_fence_of_the_system_is_compared_with_one_of_the_block) {
  const auto found =
      advised(ran({".L_x_1:", "MEMBAR.SC.SYS ;", "STS [R1], R2 ;", "@P0 BRA `(.L_x_1) ;"}),
              {{"fence system", 800}, {"fence block", 8}});
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].rule, "fence_scope");
  EXPECT_NEAR(found[0].at_most_s, 0.495, 1e-9);
}

TEST(kernel_forms, a_loop_around_a_swap_is_compared_with_an_operation_of_the_gpu) {
  const auto found =
      advised(ran({".L_x_1:", "FMNMX R7, R5, R6, !PT ;",
                   "ATOMG.E.CAS.STRONG.GPU PT, R7, [R2], R6, R7 ;", "@P0 BRA `(.L_x_1) ;"}),
              {{"atomic_cas_pass device", 40}, {"atomic_max_hold device", 10}});
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].rule, "compare_and_swap");
  // How often it is tried again is not known.
  EXPECT_NEAR(found[0].at_most_s, 0.5, 1e-9);
}

TEST(kernel_forms, threads_that_all_wait_behind_a_counter_are_a_barrier) {
  const auto found = advised(
      ran({".L_x_1:", "MEMBAR.SC.GPU ;", "@P0 ATOMG.E.ADD.STRONG.GPU PT, RZ, [R2], R7 ;",
           ".L_x_2:", "LDG.E.STRONG.SYS R7, [R2] ;", "ISETP.GE.U32.AND P0, PT, R7, R8, PT ;",
           "@!P0 BRA `(.L_x_2) ;", "MEMBAR.SC.SYS ;", "@P1 BRA `(.L_x_1) ;"}),
      {{"fence device", 700}, {"barrier none", 14}});
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].rule, "own_barrier");
  // What else such a barrier is made of has no price.
  EXPECT_NEAR(found[0].at_most_s, 0.5, 1e-9);
  EXPECT_EQ(found[0].site_id, 2U);
}

}  // namespace
}  // namespace syncmeter::kernel_forms_test
