// Why a GPU has nothing to do, and what a change saves of that: by rule, with and without a price.
#include "driver/advise/cuda_rules.hpp"

#include <gmock/gmock.h>

#include "driver/advise/advise.hpp"

namespace syncmeter::cuda_rules_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr double s = 1e9;

/// Kernels that take the GPU so long each, and before each it has nothing to do for so long.
site launches(std::uint64_t count, double busy_ns, double idle_ns) {
  site of{.kind = "kernel_launch", .module = "/bin/app", .count = count, .threads = 1};
  const auto calls = static_cast<double>(count);
  of.device = device_times{.works = count,
                           .busy = {.sum_ns = calls * busy_ns},
                           .idle = {.sum_ns = calls * idle_ns},
                           .first_ns = 5'000'000'000U};
  of.device->last_ns =
      of.device->first_ns + static_cast<std::uint64_t>(calls * (busy_ns + idle_ns));
  return of;
}

site calls(const std::string& kind, std::uint64_t count) {
  return {.kind = kind, .module = "/bin/app", .count = count, .threads = 1};
}

price priced(const std::string& op, double cost_ns) {
  price one;
  one.what.op = op;
  one.cost_ns = {cost_ns, cost_ns, cost_ns};
  return one;
}

/// A plain run takes 0.3 s before and behind what the GPU does, as the timed one does.
advice_setting setting_of(double plain_span_s, double timed_span_s) {
  const double plain_s = 0.3 + plain_span_s;
  return {.wall_s = 0.3 + timed_span_s, .plain_wall_s = {plain_s, plain_s, plain_s}};
}

advice first_of(const std::vector<site>& sites, const advice_setting& setting) {
  std::vector<std::string> notes;
  const std::vector<advice> all = advise_on(sites, setting, notes);
  return all.empty() ? advice{.rule = "none", .site_id = 0} : all.front();
}

TEST(advise_on_cuda, what_the_gpu_idles_is_that_of_plain_runs) {
  // 1 us each of work; 3 us apart under CUPTI, 2.2 us without it.
  const std::vector<site> sites{calls("event_sync", 7), launches(1'000'000, 1000, 2000)};
  const advice found = first_of(sites, setting_of(2.2, 3));
  EXPECT_EQ(found.rule, "launches");
  EXPECT_EQ(found.site_id, 2U);
  EXPECT_EQ(found.kind, "bound");
  EXPECT_NEAR(found.at_most_s, 1.2, 1e-6);
  EXPECT_NEAR(found.at_least_s, 0, 1e-12);
  EXPECT_THAT(found.text, HasSubstr("at most all"));
  // Of several plain runs the longest bounds it.
  advice_setting several = setting_of(2.2, 3);
  several.plain_wall_s.high += 0.1;
  EXPECT_NEAR(first_of(sites, several).at_most_s, 1.3, 1e-6);
  // Nothing else is known without a plain run.
  EXPECT_NEAR(first_of(sites, {.wall_s = 3.3}).at_most_s, 2, 1e-6);
}

TEST(advise_on_cuda, what_starting_cuda_takes_is_in_no_span) {
  // The wall times differ by 0.2 s more, which is before the first call.
  advice_setting setting = setting_of(2.2, 3);
  setting.plain_wall_s.value += 0.2;
  setting.plain_wall_s.high += 0.2;
  setting.cuda_span_s = {.value = 2.25, .low = 2.2, .high = 2.3};
  setting.timed_cuda_span_s = 3.05;
  const std::vector<site> sites{launches(1'000'000, 1000, 2000)};
  EXPECT_NEAR(first_of(sites, setting).at_most_s, 1.25, 1e-6);
  setting.cuda_span_s = {};
  EXPECT_NEAR(first_of(sites, setting).at_most_s, 1.4, 1e-6);
}

TEST(advise_on_cuda, what_streams_do_at_once_is_done_once) {
  // Two streams of 1 us kernels, with 0.4 of 1.4 s in which neither works.
  site both = launches(1'000'000, 2000, 400);
  both.device->last_ns = both.device->first_ns + 1'400'000'000;
  EXPECT_NEAR(first_of({both}, setting_of(1.4, 1.4)).at_most_s, 0.4, 1e-6);
}

TEST(advise_on_cuda, what_no_call_is_known_of_stays) {
  // Beside kernels for 0.3 s asynchronous copies for 0.5 s, which are of no counted call.
  site kernels = launches(1'000'000, 300, 200);
  kernels.device->last_ns = kernels.device->first_ns + 1'000'000'000;
  advice_setting setting = setting_of(0.9, 1);
  setting.prices = {priced("additional_graph_launch", 16 * 50)};
  const advice found = first_of({kernels}, setting);
  EXPECT_NEAR(found.at_most_s, 0.1, 1e-6);
  // In a graph the GPU goes from kernels to copies and back still.
  EXPECT_EQ(found.kind, "bound");
  EXPECT_THAT(found.text, HasSubstr("For 0.5 s it does what no counted call is for"));
}

TEST(advise_on_cuda, what_asynchronous_copies_take_between_kernels_has_no_price) {
  // A wait for each kernel of 5 us and the copy of 1 us behind it.
  site kernels = launches(10'000, 5'000, 8'000);
  kernels.device->last_ns = kernels.device->first_ns + 140'000'000;
  advice_setting setting = setting_of(0.14, 0.14);
  setting.prices = {priced("additional_launch", 3600)};
  const std::vector<site> sites{kernels, calls("stream_sync", 10'000)};
  EXPECT_EQ(first_of(sites, setting).kind, "bound");
  EXPECT_NEAR(first_of(sites, setting).at_most_s, 0.08, 1e-6);
  // One of 50 kernels has such a copy: that is little.
  kernels.device->last_ns = kernels.device->first_ns + 130'200'000;
  const advice found = first_of({kernels, calls("stream_sync", 10'000)}, setting);
  EXPECT_EQ(found.kind, "estimate");
  EXPECT_THAT(found.text, Not(HasSubstr("no counted call")));
}

TEST(advise_on_cuda, graphs_are_no_kernels_that_are_launched_one_by_one) {
  site graphs = launches(10, 10'000'000, 0);
  graphs.kind = "graph_launch";
  site kernels = launches(10'000, 5'000, 9'000);
  kernels.device->last_ns = kernels.device->first_ns + 240'000'000;
  advice_setting setting = setting_of(0.24, 0.24);
  setting.prices = {priced("additional_launch", 3600)};
  const advice found = first_of({kernels, graphs, calls("stream_sync", 10'000)}, setting);
  EXPECT_THAT(found.text, HasSubstr("one for each kernel of 5 us"));
  EXPECT_NEAR(found.at_least_s, 0.09, 1e-6);
}

TEST(advise_on_cuda, a_gpu_that_is_idle_for_little_of_a_program_is_not_said_to_work) {
  std::vector<std::string> notes;
  EXPECT_THAT(advise_on({launches(10'000, 1000, 1000)},
                        {.wall_s = 10, .plain_wall_s = {10, 10, 10}}, notes),
              IsEmpty());
  EXPECT_THAT(notes, ElementsAre(HasSubstr("between its first kernel and "
                                           "its last one, less than 2 % of the program's time")));
}

TEST(advise_on_cuda, processes_are_idle_at_times_of_their_own) {
  advice_setting setting = setting_of(2.2, 3);
  setting.gpu_processes = 2;
  std::vector<std::string> notes;
  EXPECT_THAT(advise_on({launches(1'000'000, 1000, 2000)}, setting, notes), IsEmpty());
  EXPECT_THAT(notes, ElementsAre(HasSubstr("2 processes use GPUs")));
}

TEST(advise_on_cuda, a_graph_s_kernel_is_the_price_of_what_stays) {
  advice_setting setting = setting_of(2.2, 3);
  setting.prices = {priced("additional_launch", 2200), priced("additional_graph_launch", 16 * 900)};
  const advice found = first_of({launches(1'000'000, 1000, 2000)}, setting);
  EXPECT_EQ(found.kind, "estimate");
  EXPECT_NEAR(found.at_least_s, 1.2 - 0.9, 1e-6);
  EXPECT_NEAR(found.at_most_s, 1.2, 1e-6);
  EXPECT_THAT(found.text, HasSubstr("900 ns"));
  // And the shortest plain run is the least.
  setting.plain_wall_s.low -= 0.1;
  EXPECT_NEAR(first_of({launches(1'000'000, 1000, 2000)}, setting).at_least_s, 0.2, 1e-6);
}

TEST(advise_on_cuda, kernels_that_hide_their_launches_are_none) {
  std::vector<std::string> notes;
  EXPECT_THAT(advise_on({launches(100'000, 20'000, 50)}, setting_of(2.005, 2.005), notes),
              IsEmpty());
  EXPECT_THAT(notes, ElementsAre(HasSubstr("The GPU works for 100 % of the time")));
  // Nor is a host that does something else between launches.
  EXPECT_EQ(first_of({launches(10'000, 1000, 50'000)}, setting_of(0.5, 0.51)).rule, "none");
  // Nor are few calls, however long the GPU has nothing to do.
  EXPECT_EQ(first_of({launches(50, 1000, 9'000)}, setting_of(0.0005, 0.0005)).rule, "none");
}

TEST(advise_on_cuda, a_synchronization_for_each_kernel_comes_first) {
  const std::vector<site> sites{launches(10'000, 20'000, 10'000), calls("stream_sync", 10'000),
                                calls("blocking_copy", 3)};
  advice_setting setting = setting_of(0.3, 0.31);
  const advice bound = first_of(sites, setting);
  EXPECT_EQ(bound.rule, "synchronizations");
  EXPECT_EQ(bound.site_id, 2U);
  EXPECT_THAT(bound.text, HasSubstr("one for each kernel of 20 us"));
  EXPECT_NEAR(bound.at_most_s, 0.09, 1e-6);
  EXPECT_NEAR(bound.at_least_s, 0, 1e-12);
  // Longer than a launch, so that all of it goes.
  setting.prices = {priced("additional_launch", 2200)};
  EXPECT_NEAR(first_of(sites, setting).at_least_s, 0.09, 1e-6);
  // Shorter ones wait for their launches then.
  const std::vector<site> of_short{launches(10'000, 1'000, 9'000), calls("stream_sync", 10'000)};
  setting = setting_of(0.1, 0.1);
  setting.prices = {priced("additional_launch", 2200)};
  const advice found = first_of(of_short, setting);
  EXPECT_NEAR(found.at_least_s, 0.1 - 10'000 * 2200 / s, 1e-6);
  EXPECT_NEAR(found.at_most_s, 0.1 - 10'000 * 2200 / s, 1e-6);
  // Where launches differ, the longest ones are what is left at most.
  setting.prices.front().cost_ns.high = 3000;
  EXPECT_NEAR(first_of(of_short, setting).at_least_s, 0.1 - 10'000 * 3000 / s, 1e-6);
}

TEST(advise_on_cuda, a_stream_goes_on_no_faster_than_from_kernel_to_kernel) {
  const std::vector<site> sites{launches(10'000, 5'000, 9'000), calls("stream_sync", 10'000)};
  advice_setting setting = setting_of(0.14, 0.14);
  setting.prices = {priced("additional_launch", 3600), priced("kernel_split", 1300)};
  const advice found = first_of(sites, setting);
  EXPECT_NEAR(found.at_least_s, 0.14 - 10'000 * 6'300 / s, 1e-6);
  EXPECT_NEAR(found.at_most_s, 0.14 - 10'000 * 5'000 / s, 1e-6);
}

TEST(advise_on_cuda, without_copies_there_are_the_kernels) {
  std::vector<site> sites{launches(10'000, 5'000, 4'000), calls("blocking_copy", 10'000)};
  // Copies of 1 us each, among the kernels.
  sites[1].device = sites[0].device;
  sites[1].device->busy.sum_ns = 10'000 * 1'000;
  sites[1].device->idle.sum_ns = 10'000 * 4'000;
  sites[0].device->last_ns = sites[1].device->last_ns = sites[0].device->first_ns + 140'000'000;
  advice_setting setting = setting_of(0.14, 0.14);
  setting.prices = {priced("additional_launch", 3600)};
  const advice found = first_of(sites, setting);
  EXPECT_EQ(found.rule, "copies");
  // Fewer copies have to copy as much.
  EXPECT_NEAR(found.at_least_s, 0.14 - 10'000 * 6'000 / s, 1e-6);
  EXPECT_NEAR(found.at_most_s, 0.14 - 10'000 * 5'000 / s, 1e-6);
  EXPECT_THAT(found.text, HasSubstr("5 us"));
  EXPECT_THAT(found.text, HasSubstr("idle for 0.08 s, and copies for 0.01 s of 0.14 s"));
}

TEST(advise_on_cuda, copies_beside_synchronizations_may_wait_as_long) {
  std::vector<site> sites{launches(10'000, 5'000, 8'000), calls("stream_sync", 10'000),
                          calls("blocking_copy", 10'000)};
  sites[2].device = sites[0].device;
  sites[2].device->busy.sum_ns = 10'000 * 1'000;
  sites[2].device->idle.sum_ns = 0;
  sites[0].device->last_ns = sites[2].device->last_ns = sites[0].device->first_ns + 140'000'000;
  advice_setting setting = setting_of(0.14, 0.14);
  setting.prices = {priced("additional_launch", 3600)};
  advice found = first_of(sites, setting);
  EXPECT_EQ(found.rule, "synchronizations");
  EXPECT_NEAR(found.at_least_s, 0, 1e-12);
  EXPECT_NEAR(found.at_most_s, 0.08, 1e-6);
  // Few of them keep only their time.
  sites[2].count = 100;
  found = first_of(sites, setting);
  EXPECT_NEAR(found.at_least_s, 0.14 - 10'000 * 6'000 / s, 1e-6);
}

TEST(advise_on_cuda, copies_that_the_host_waits_for_are_named_where_they_are_more) {
  const std::vector<site> sites{launches(10'000, 5'000, 10'000), calls("stream_sync", 5'000),
                                calls("blocking_copy", 10'000)};
  const advice found = first_of(sites, setting_of(0.15, 0.15));
  EXPECT_EQ(found.rule, "copies");
  EXPECT_EQ(found.site_id, 3U);
  EXPECT_THAT(found.text, HasSubstr("cudaMemcpyAsync"));
}

TEST(advise_on_cuda, a_wait_for_the_gpu_is_time_of_the_program) {
  site wait = calls("stream_sync", 1);
  wait.times = site_times{.timed = 1, .call = {.sum_ns = 0.2 * s}};
  program_counts of{
      .command = {"app"}, .file = {}, .runs = {}, .of_last_run = {}, .advices = {}, .notes = {}};
  of.runs = {
      {.arm = "plain", .wall_s = 1}, {.arm = "count", .wall_s = 1}, {.arm = "time", .wall_s = 1}};
  of.of_last_run.processes = 1;
  of.of_last_run.sites = {wait};
  EXPECT_THAT(conclusion_of(of), HasSubstr("No change is advised"));
}

TEST(advise_on_cuda, a_gpu_that_waits_for_other_work_of_the_host_is_not_nothing_to_gain) {
  program_counts of{
      .command = {"app"}, .file = {}, .runs = {}, .of_last_run = {}, .advices = {}, .notes = {}};
  of.runs = {
      {.arm = "plain", .wall_s = 2}, {.arm = "count", .wall_s = 2}, {.arm = "time", .wall_s = 2}};
  of.of_last_run.processes = 1;
  of.of_last_run.sites = {launches(60'000, 1000, 24'000)};
  // A wait for every third kernel, as of a script that looks at a value after each step.
  of.of_last_run.sites.push_back(calls("stream_sync", 20'000));
  EXPECT_EQ(first_of(of.of_last_run.sites, setting_of(1.5, 1.5)).rule, "none");
  EXPECT_THAT(conclusion_of(of), HasSubstr("idle for 1.4 s of 1.5 s"));
  EXPECT_THAT(conclusion_of(of), HasSubstr("kernels of 1 us come every 25 us"));
  EXPECT_THAT(conclusion_of(of), Not(HasSubstr("Nothing to gain")));
  EXPECT_THAT(conclusion_of(of), HasSubstr("waits, in between. "));
  // Beside copies of 4 us that no counted call is for, it may be the GPU that takes so long.
  of.of_last_run.sites.front().device->last_ns += 60'000 * 4'000;
  EXPECT_THAT(conclusion_of(of), HasSubstr("kernels to asynchronous copies and back"));
  // A stream takes so long from one kernel to the next.
  of.of_last_run.sites.front() = launches(60'000, 24'000, 1'700);
  EXPECT_THAT(conclusion_of(of), HasSubstr("the GPU is idle"));
  of.prices = {priced("kernel_split", 1'400)};
  EXPECT_THAT(conclusion_of(of), Not(HasSubstr("the GPU is idle")));
  of.prices = {priced("kernel_split", 1'300)};
  EXPECT_THAT(conclusion_of(of), HasSubstr("the GPU is idle"));
  of.of_last_run.sites.front() = launches(60'000, 24'000, 10);
  EXPECT_THAT(conclusion_of(of), HasSubstr("Nothing to gain"));
}

TEST(advise_on_cuda, its_seconds_are_named_however_long_counting_takes) {
  program_counts of{
      .command = {"app"}, .file = {}, .runs = {}, .of_last_run = {}, .advices = {}, .notes = {}};
  of.runs = {{.arm = "plain", .wall_s = 2.5},
             {.arm = "count", .wall_s = 3},
             {.arm = "time", .wall_s = 3.3, .other_cpu_share = 0}};
  of.of_last_run.processes = 1;
  of.of_last_run.sites = {launches(1'000'000, 1000, 2000)};
  of.advices = {first_of(of.of_last_run.sites, setting_of(2.2, 3))};
  EXPECT_FALSE(is_withheld(of.advices.front(), of));
  EXPECT_THAT(advice_text(of, {}), HasSubstr("2.5 s -> at best"));
  EXPECT_THAT(conclusion_of(of), IsEmpty());
  // But not where others disturb the runs.
  of.runs.back().other_cpu_share = 0.2;
  EXPECT_TRUE(is_withheld(of.advices.front(), of));
  EXPECT_THAT(advice_text(of, {}), Not(HasSubstr("at best")));
}

}  // namespace
}  // namespace syncmeter::cuda_rules_test
