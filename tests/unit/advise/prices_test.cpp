// Which prices are measured, of threads that are placed and of kernels within a budget, and what is
// said of those that a file lacks.
#include "driver/advise/prices.hpp"

#include <cstdlib>

#include <gmock/gmock.h>

#include "driver/advise/gpu_points.hpp"
#include "driver/advise/price_meter.hpp"

namespace syncmeter::prices_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// A kernel whose blocks meet, each number of threads at a point of its own.
kernel_use meeting(const std::string& name, std::uint64_t block_threads, double barriers) {
  kernel_use kernel;
  kernel.name = name;
  kernel.launches = 1;
  kernel.blocks = 1000;
  kernel.block_threads = block_threads;
  kernel.barriers = barriers;
  return kernel;
}

site launching(double busy_s, std::vector<kernel_use> kernels) {
  site of{.kind = "kernel_launch", .module = "/bin/app", .count = 10, .threads = 1};
  of.device = device_times{.works = 10, .busy = {.sum_ns = busy_s * 1e9}};
  of.kernels = std::move(kernels);
  return of;
}

std::vector<unsigned> lanes_of(const wanted_prices& wanted) {
  std::vector<unsigned> lanes;
  for (const planned_point& each : wanted.points) lanes.push_back(each.what.lanes);
  return lanes;
}

TEST(prices_for, what_matters_most_has_the_room_in_the_budget) {
  std::vector<kernel_use> many;
  for (unsigned warps = 1; warps <= 20; ++warps)
    many.push_back(meeting("of_" + std::to_string(warps), 32 * warps, 1000.0 * warps));
  const std::vector<site> sites{launching(0.2, {meeting("late", 1024, 1e9)}), launching(0.5, many)};
  const wanted_prices all = prices_for({}, sites, 1, 60);
  EXPECT_THAT(all.points, SizeIs(21));
  EXPECT_THAT(all.notes, IsEmpty());
  const wanted_prices some = prices_for({}, sites, 1, 13);
  EXPECT_THAT(lanes_of(some),
              ElementsAre(640, 608, 576, 544, 512, 480, 448, 416, 384, 352, 320, 288, 256));
  EXPECT_THAT(some.notes, ElementsAre(AllOf(HasSubstr("has 13 prices at most"),
                                            HasSubstr("for of_7, of_6, of_5 and 5 more kernels"),
                                            HasSubstr("--budget 21s has room for all 21"))));
  EXPECT_THAT(prices_for({}, sites, 1, 17).notes, ElementsAre(HasSubstr(" and 1 more kernel; ")));
  // What is measured takes no longer than half of the budget.
  EXPECT_EQ(room_for_kernels(21), 21U);
  EXPECT_EQ(room_for_kernels(0), 12U) << "what one kernel needs";
}

TEST(prices_for, threads_that_are_no_team_are_placed_nowhere) {
  site met{.kind = "barrier_wait", .module = "/bin/app", .count = 400'000, .threads = 2};
  met.times = site_times{.timed = 2000, .threads = 2};
  met.times->mechanism = {.sum_ns = 2000 * 1000, .median_ns = 1000};
  const std::vector<site> sites{met};
  ::setenv("OMP_PROC_BIND", "close", 1);
  const program_file teams{.path = "/bin/app", .runtimes = {"libgomp.so.1"}};
  const wanted_prices of_threads = prices_for({}, sites, 1, 60);
  const wanted_prices of_teams = prices_for(teams, sites, 1, 60);
  ::setenv("OMP_PLACES", "{0},{1}", 1);
  const wanted_prices of_threads_anywhere = prices_for({}, sites, 1, 60);
  const wanted_prices of_teams_there = prices_for(teams, sites, 1, 60);
  for (const char* name : {"OMP_PROC_BIND", "OMP_PLACES"}) ::unsetenv(name);
  ASSERT_EQ(of_threads.points.size(), 1U);
  EXPECT_EQ(of_threads.points[0].what.affinity, affinity::none);
  ASSERT_EQ(of_teams.points.size(), 1U);
  EXPECT_EQ(of_teams.points[0].what.affinity, affinity::close);
  EXPECT_EQ(of_threads_anywhere.points.size(), 1U);
  EXPECT_EQ(of_teams_there.points.size(), 0U);
}

/// Threads that come late to the end of a region, with so much work.
site late_region(double work_ns, double late_ns) {
  site of{.kind = "region", .module = "/bin/app", .team = 2, .count = 100, .threads = 1};
  of.times = site_times{.timed = 100, .threads = 2, .inside_ns = 200 * work_ns};
  of.times->lateness = {.sum_ns = 200 * late_ns, .median_ns = late_ns};
  of.times->mechanism = {.sum_ns = 100, .median_ns = 1};
  return of;
}

TEST(prices_for, equal_work_is_of_the_sites_that_take_most) {
  const wanted_prices wanted = prices_for(
      {},
      {late_region(1e3, 3e5), late_region(1e4, 3e5), late_region(1e5, 4e5), late_region(1e6, 5e5)},
      1, 60);
  std::vector<unsigned> work_ns;
  for (const planned_point& each : wanted.equal_work) work_ns.push_back(each.what.section_ns);
  EXPECT_THAT(work_ns, ElementsAre(1'000'000, 100'000, 1'000));
}

TEST(set_equal_work_time, it_is_a_fifth_of_a_run_as_far_as_there_is_room) {
  wanted_prices wanted;
  const auto of = [&](double wall_s, double room_s) {
    set_equal_work_time(wanted, wall_s, room_s);
    return wanted.equal_work_s;
  };
  EXPECT_EQ(of(0.01, 60), 0.1);
  EXPECT_EQ(of(0.3, 60), 0.3);
  EXPECT_EQ(of(2, 60), 0.5);
  EXPECT_EQ(of(10, 60), 2);
  EXPECT_EQ(of(10, 5), 1);
  EXPECT_EQ(of(10, -7), 0.5);
  wanted.equal_work.resize(2);
  EXPECT_EQ(of(10, 15), 1.5);
  EXPECT_EQ(wanted.seconds_of_controls(), 3);
  // A worker's visit has rounds of work of 20 ms each, however short it is to be.
  wanted.equal_meetings.resize(1);
  wanted.equal_meetings.front().at.what.section_ns = 20'000'000;
  EXPECT_EQ(of(0.1, 15), 0.1);
  EXPECT_DOUBLE_EQ(wanted.seconds_of_controls(), 0.2 + 0.8);
}

TEST(prices_in_file, each_point_that_a_file_lacks_has_a_command_of_its_own) {
  wanted_prices wanted;
  const auto add = [&](const char* op, unsigned blocks, unsigned lanes, unsigned size) {
    point what;
    what.backend = "cuda";
    what.op = op;
    what.blocks = blocks, what.lanes = lanes, what.size = size;
    wanted.points.push_back({.what = what, .pus = {}, .same_as = {}, .why = {}});
  };
  add("accumulate_fixed", 1, 1024, 1);
  add("accumulate_fixed", 132, 1024, 1);
  add("accumulate_block", 132, 1024, 4096);
  add("barrier", 100, 256, 0);
  results_file file;
  file.path = "old.jsonl";
  EXPECT_THAT(prices_in_file(file, {}, wanted), IsEmpty());
  EXPECT_THAT(
      wanted.notes,
      ElementsAre(
          HasSubstr("--study accumulate --backend cuda --op accumulate_fixed --blocks 1 "
                    "--threads 1024 --size 1 "),
          HasSubstr("--blocks 132 --threads 1024 --size 1 "),
          AllOf(HasSubstr("accumulate_block of 4096 addresses on a GPU, 132 x 1024"),
                HasSubstr("--op accumulate_block --blocks 132 --threads 1024 --size 4096 ")),
          AllOf(HasSubstr("--study levels --backend cuda --op barrier --blocks 100 "
                          "--threads 256 --output"))));
}

TEST(note_first, what_fails_behind_each_run_is_one_sentence) {
  std::vector<std::string> notes;
  for (const int rounds : {90, 96})
    for (const char* const op : {"barrier", "lock_add"})
      note_first(notes, std::string(op) + " was not measured: ",
                 std::to_string(rounds) + " rounds were dropped");
  EXPECT_THAT(notes, ElementsAre("barrier was not measured: 90 rounds were dropped.",
                                 "lock_add was not measured: 90 rounds were dropped."));
}

}  // namespace
}  // namespace syncmeter::prices_test
