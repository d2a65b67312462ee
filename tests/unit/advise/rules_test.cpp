// Which cause a site has, and how much a change there saves: by rule, with and without a price.
#include "driver/advise/rules.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string_view>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "driver/plan/study.hpp"

namespace syncmeter::rules_test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

/// Of two threads: each meeting takes `lateness_ns` and `mechanism_ns` of one thread's path.
site meeting(const std::string& kind, std::uint64_t count, double lateness_ns,
             double mechanism_ns) {
  site of{.kind = kind, .module = "/bin/app", .team = 2, .count = count, .threads = 2};
  const bool region = kind == "region";
  const double timed = 1000, events = region ? timed : timed / 2;
  of.times = site_times{.timed = 1000, .threads = 2};
  of.times->lateness = {.sum_ns = 2 * events * lateness_ns, .median_ns = lateness_ns};
  of.times->mechanism = {.sum_ns = (region ? 1 : 2) * events * mechanism_ns,
                         .median_ns = mechanism_ns};
  return of;
}

/// A region that each thread begins so late, and works so long in.
site region(std::uint64_t count, double fork_ns, double inside_ns, double join_ns) {
  site of = meeting("region", count, 10, join_ns);
  of.times->fork_ns = 2 * 1000 * fork_ns;
  of.times->inside_ns = 2 * 1000 * inside_ns;
  return of;
}

/// Of two threads, that fetch each chunk for so long and work on it.
site chunks(std::uint64_t count, double fetch_ns, double work_ns) {
  site of{.kind = "chunk", .module = "/bin/app", .count = count, .threads = 2};
  of.times = site_times{.timed = 1000};
  of.times->call.sum_ns = 1000 * fetch_ns;
  of.times->work.sum_ns = 1000 * work_ns;
  return of;
}

/// Made by one of two threads.
site tasks(std::uint64_t count) {
  return {.kind = "task", .module = "/bin/app", .team = 2, .count = count, .threads = 1};
}

price priced(const std::string& op, unsigned section_ns, double cost_ns) {
  price one;
  one.what.backend = "omp";
  one.what.op = op;
  one.what.lanes = 2;
  one.what.section_ns = section_ns;
  one.cost_ns = {cost_ns, cost_ns, cost_ns};
  return one;
}

std::vector<advice> advised(const std::vector<site>& sites, const advice_setting& setting) {
  std::vector<std::string> notes;
  return advise_on(sites, setting, notes);
}

advice first_of(const std::vector<site>& sites, const advice_setting& setting) {
  const std::vector<advice> all = advised(sites, setting);
  return all.empty() ? advice{.rule = "none", .site_id = 0} : all.front();
}

/// The report says them in the same way, and is held to the same file.
TEST(seconds_text, has_no_more_digits_than_a_saving_and_no_power_of_ten) {
  const auto tests = std::filesystem::path(__FILE__).parent_path().parent_path().parent_path();
  std::ifstream file(tests / "data" / "seconds.json");
  for (const auto& [seconds, text] :
       nlohmann::json::parse(file).get<std::vector<std::pair<double, std::string>>>())
    EXPECT_EQ(seconds_text(seconds), text);
}

TEST(advise_on, without_a_price_there_is_a_bound) {
  const advice found = first_of({meeting("barrier", 1'000'000, 50, 250)}, {.wall_s = 1});
  EXPECT_EQ(found.rule, "barriers");
  EXPECT_EQ(found.kind, "bound");
  EXPECT_NEAR(found.at_least_s, 0, 1e-12);
  EXPECT_NEAR(found.at_most_s, 0.3, 1e-9);
  EXPECT_THAT(found.text, HasSubstr("at most all"));
}

TEST(advise_on, what_to_change_of_a_kernel_of_kokkos_is_said_in_its_words) {
  site regions = meeting("region", 1'000'000, 50, 250);
  EXPECT_THAT(first_of({regions}, {.wall_s = 1}).text, HasSubstr("One region around all"));
  regions.label = kokkos_label{.text = "axpy"};
  EXPECT_THAT(first_of({regions}, {.wall_s = 1}).text,
              AllOf(HasSubstr("\"axpy\" at app+0x0: 1,000,000 parallel regions"),
                    HasSubstr("Fewer kernels"), Not(HasSubstr("One region around"))));
  site late = meeting("region", 100, 1e6, 1e3);
  late.label = regions.label;
  EXPECT_THAT(first_of({late}, {.wall_s = 1}).text, HasSubstr("schedule (Kokkos::Dynamic)"));
  site short_chunks = chunks(10'000'000, 100, 10);
  EXPECT_THAT(first_of({short_chunks}, {.wall_s = 1}).text, HasSubstr("(schedule(dynamic, N))"));
  short_chunks.label = regions.label;
  EXPECT_THAT(first_of({short_chunks}, {.wall_s = 1}).text, HasSubstr("set_chunk_size(N)"));
}

TEST(advise_on, a_price_makes_an_estimate) {
  const advice found = first_of({meeting("barrier", 1'000'000, 50, 250)},
                                {.wall_s = 1, .prices = {priced("barrier_after_work", 64, 200)}});
  EXPECT_EQ(found.kind, "estimate");
  EXPECT_NEAR(found.at_least_s, 0.2, 1e-9);
  // As much as they take here.
  EXPECT_NEAR(found.at_most_s, 0.3, 1e-9);
}

TEST(advise_on, counts_and_prices_stand_where_counting_disturbs) {
  advice_setting setting{.wall_s = 1,
                         .plain_wall_s = {0.25, 0.24, 0.26},
                         .prices = {priced("barrier_after_work", 64, 200)},
                         .counts_alone = true};
  const std::vector<site> sites{meeting("barrier", 1'000'000, 50, 250)};
  const advice found = first_of(sites, setting);
  EXPECT_TRUE(found.of_plain_runs);
  EXPECT_EQ(found.kind, "estimate");
  EXPECT_NEAR(found.at_least_s, 0.2, 1e-9);
  EXPECT_NEAR(found.at_most_s, 0.26, 1e-9) << "the longest plain run";
  EXPECT_THAT(found.text, HasSubstr("By themselves so many take 0.2 s of 0.26 s"));
  EXPECT_EQ(saving_text(found), "saves 0.2 s to 0.26 s of 0.26 s");
  setting.plain_wall_s = {0.15, 0.15, 0.15};
  EXPECT_NEAR(first_of(sites, setting).at_least_s, 0.15, 1e-9);
  setting.prices.clear();
  EXPECT_FALSE(first_of(sites, setting).of_plain_runs);
}

TEST(advise_on, an_estimate_begins_with_the_least_price_and_stays_below_the_bound) {
  advice_setting setting{.wall_s = 1};
  for (const double ns : {220, 200, 210, 260, 900})
    setting.prices.push_back(priced("barrier_after_work", 64, ns));
  const advice found = first_of({meeting("barrier", 1'000'000, 50, 350)}, setting);
  EXPECT_NEAR(found.at_least_s, 0.2, 0.01);
  EXPECT_NEAR(found.at_most_s, 0.4, 1e-9);
  for (price& each : setting.prices) each.cost_ns = {900, 900, 900};
  EXPECT_THAT(first_of({meeting("barrier", 1'000'000, 50, 350)}, setting).text,
              HasSubstr("the program takes 0.4 s of 1 s less"));
}

TEST(advise_on, no_sentence_has_more_than_the_run) {
  // As of threads that sleep while others have their processors.
  const advice found = first_of({meeting("barrier", 1'000'000, 300, 1250)}, {.wall_s = 1});
  EXPECT_NEAR(found.at_most_s, 1, 1e-9);
  EXPECT_THAT(found.text, HasSubstr("They take 1 s of 1 s"));
}

TEST(advise_on, the_price_is_that_of_the_nearest_work) {
  const advice_setting setting{.wall_s = 1,
                               .prices = {priced("region_around_work", 64, 100),
                                          priced("region_around_work", 1024, 500),
                                          priced("barrier_after_work", 1024, 900)}};
  const advice found = first_of({region(500'000, 400, 900, 300)}, setting);
  EXPECT_EQ(found.rule, "regions");
  EXPECT_NEAR(found.at_least_s, 0.25, 1e-9);
}

TEST(advise_on, fewer_regions_have_fewer_reductions) {
  site of = region(500'000, 400, 100, 300);
  of.frames = {{.function = "main", .file = "/src/app.cpp", .line = 24}};
  site reduction{.kind = "atomic", .module = "/bin/app", .threads = 2};
  reduction.frames = {{.function = "main._omp_fn.0", .file = "/src/app.cpp", .line = 24}};
  reduction.samples = site_samples{.taken = 80, .path_share = 0.08};
  site of_body = reduction;
  of_body.frames.front().line = 25;
  const advice_setting setting{.wall_s = 1, .prices = {priced("region_around_work", 96, 500)}};
  const double alone_s = first_of({of}, setting).at_most_s;
  EXPECT_NEAR(alone_s, 0.355, 1e-9);
  EXPECT_NEAR(first_of({of, of_body}, setting).at_most_s, alone_s, 1e-9);
  const advice found = first_of({of, reduction, of_body}, setting);
  EXPECT_NEAR(found.at_most_s, alone_s + 0.08, 1e-9);
  EXPECT_THAT(found.text, HasSubstr("take here, 0.08 s of it for the reduction: a region of"));
}

TEST(advise_on, a_mechanism_well_above_its_price_is_named) {
  const advice_setting setting{.wall_s = 10, .prices = {priced("barrier_after_work", 64, 200)}};
  EXPECT_THAT(first_of({meeting("barrier", 1'000'000, 50, 5000)}, setting).text,
              HasSubstr("In the program each takes 5.05 us"));
  EXPECT_THAT(first_of({meeting("barrier", 1'000'000, 50, 300)}, setting).text,
              Not(HasSubstr("In the program each takes")));
  site crowded = meeting("barrier", 1'000'000, 50, 5000);
  EXPECT_THAT(first_of({crowded}, setting).text, Not(HasSubstr("on their unit")));
  crowded.times->same_processor = 300;
  EXPECT_THAT(first_of({crowded}, setting).text, HasSubstr(" 30 % of the threads that met"));
}

TEST(advise_on, a_barrier_that_takes_long_is_named_however_low_its_price) {
  const advice found =
      first_of({meeting("barrier", 10'000, 100, 50'000)},
               {.wall_s = 1, .prices = {priced("barrier_after_work", 100'000, 200)}});
  EXPECT_EQ(found.rule, "barriers");
  EXPECT_NEAR(found.at_least_s, 0.002, 1e-9);
  EXPECT_NEAR(found.at_most_s, 0.501, 1e-9);
  EXPECT_THAT(found.text, HasSubstr("In the program each takes 50.1 us"));
}

TEST(advise_on, more_threads_than_processing_units_come_first) {
  const std::vector<site> sites{meeting("barrier", 1'000'000, 300, 50),
                                meeting("barrier", 10'000, 900, 9000)};
  advice_setting setting{.wall_s = 1, .usable_pus = 2};
  EXPECT_EQ(first_of(sites, setting).rule, "imbalance");
  setting.usable_pus = 1.5;
  const std::vector<advice> all = advised(sites, setting);
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_EQ(all[0].rule, "oversubscription");
  EXPECT_THAT(all[0].cause, HasSubstr("OMP_NUM_THREADS=1)"));
}

TEST(advise_on, teams_made_for_each_region_are_nested) {
  const site created{.kind = "create", .module = "/usr/lib/libgomp.so.1", .count = 20'000};
  const site inner = region(20'000, 9000, 1000, 5000);
  EXPECT_EQ(first_of({inner, created}, {.wall_s = 1}).rule, "nested");
  site few = created;
  few.count = 1;
  EXPECT_EQ(first_of({inner, few}, {.wall_s = 1}).rule, "regions");
}

TEST(advise_on, the_region_around_others_is_not_nested) {
  const site created{.kind = "create", .module = "/usr/lib/libgomp.so.1", .count = 20'000};
  site outer = region(2'000, 9000, 100'000, 5000), inner = region(20'000, 9000, 1000, 5000);
  outer.threads = 1;
  const std::vector<advice> all = advised({outer, inner, created}, {.wall_s = 1});
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all[0].rule, "nested");
  EXPECT_EQ(all[0].site_id, 2U);
  for (std::size_t i = 1; i < all.size(); ++i) EXPECT_NE(all[i].rule, "nested");
}

TEST(advise_on, threads_that_come_as_with_equal_work_still_pay_for_the_meeting) {
  const price of_equal_work = priced("equal_work", 1650, 600);
  const advice_setting setting{.wall_s = 1,
                               .prices = {priced("barrier_after_work", 64, 100), of_equal_work}};
  const std::vector<advice> all = advised({meeting("barrier", 500'000, 300, 50)}, setting);
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].rule, "barriers");
  EXPECT_NEAR(all[0].at_least_s, 0.05, 1e-9);
  EXPECT_NEAR(all[0].at_most_s, 0.175, 1e-9);
  EXPECT_THAT(all[0].cause, Not(HasSubstr("most of their time after")));
}

TEST(advise_on, meetings_that_take_little_are_none_for_advice_in_a_longer_run) {
  const advice_setting setting{.wall_s = 1, .plain_wall_s = {1.2, 1.1, 1.3}};
  EXPECT_THAT(advised({meeting("barrier", 30'000, 50, 250)}, setting), IsEmpty());
}

TEST(advice_rules, each_study_is_one_that_run_measures) {
  std::set<std::string_view> names;
  for (const advice_rule& each : advice_rules()) {
    EXPECT_TRUE(names.insert(each.name).second) << each.name;
    EXPECT_TRUE(each.study.empty() || find_study(each.study) != nullptr) << each.study;
  }
  EXPECT_EQ(study_of("readers"), "read-mostly");
  EXPECT_EQ(study_of("signals"), "");
}

TEST(advise_on, the_first_of_several_sites_has_what_all_save) {
  const site one = meeting("barrier", 1'000'000, 50, 250);
  const std::vector<advice> all = advised({one, one}, {.wall_s = 1});
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_THAT(all[0].text,
              HasSubstr("A change of all 2 sites of barriers in this list saves at most 0.6 s"));
  EXPECT_THAT(all[1].text, Not(HasSubstr("A change of all")));
  ASSERT_TRUE(all[0].with_others);
  EXPECT_EQ(all[0].with_others->sites, 2U);
  EXPECT_NEAR(all[0].with_others->high_s, 0.6, 1e-9);
  EXPECT_NEAR(all[0].with_others->run_s, 1, 1e-9);
  EXPECT_FALSE(all[1].with_others);
}

TEST(advise_on, what_all_sites_save_is_of_one_run_and_has_what_it_takes_longer_once) {
  // 0.05 s at each.
  site one = meeting("barrier", 100'000, 50, 450);
  const advice_setting setting{.wall_s = 1, .plain_wall_s = {1, 1, 1.3}};
  EXPECT_THAT(first_of({one, one, one}, setting).text,
              HasSubstr("A change of all 3 sites of barriers in this list saves at most 0.45 s of "
                        "1.3 s."));
  site other = one;
  one.cost_of_runs = {{.mechanism_s = 0.1, .run = 1, .wall_s = 1},
                      {.mechanism_s = 0.5, .run = 2, .wall_s = 1}};
  other.cost_of_runs = {{.mechanism_s = 0.4, .run = 1, .wall_s = 1},
                        {.mechanism_s = 0.1, .run = 2, .wall_s = 1}};
  EXPECT_THAT(first_of({one, other}, {.wall_s = 1}).text,
              HasSubstr("A change of all 2 sites of barriers in this list saves at most 0.6 s of "
                        "1 s."));
}

TEST(advise_on, what_all_sites_save_at_least_adds_up_on_one_path_alone) {
  const site one = meeting("barrier", 1'000'000, 50, 250);
  const advice_setting setting{.wall_s = 1, .prices = {priced("barrier_after_work", 64, 100)}};
  EXPECT_THAT(first_of({one, one}, setting).text,
              HasSubstr("of barriers in this list saves 0.2 s to 0.6 s"));
  EXPECT_NEAR(first_of({one, one}, setting).with_others.value_or(summed_saving{}).low_s, 0.2, 1e-9);
  const site created{.kind = "create", .module = "/bin/app", .count = 2, .threads = 1};
  EXPECT_THAT(first_of({one, one, created}, setting).text,
              HasSubstr("of barriers in this list saves 0.1 s to 0.6 s"));
  site of_others = one;
  of_others.team = 3;
  EXPECT_THAT(first_of({one, of_others}, setting).text,
              HasSubstr("of barriers in this list saves 0.1 s to 0.6 s"));
  site begun_by_two = region(1, 10, 10, 10);
  begun_by_two.threads = 2;
  EXPECT_THAT(first_of({one, one, begun_by_two}, setting).text,
              HasSubstr("of barriers in this list saves 0.1 s to 0.6 s"));
}

TEST(advise_on, by_counts_alone_one_site_may_save_all_and_there_is_no_sum) {
  const site one = meeting("barrier", 1'000'000, 50, 250);
  const std::vector<advice> all =
      advised({one, one}, {.wall_s = 1,
                           .plain_wall_s = {0.5, 0.5, 0.5},
                           .prices = {priced("barrier_after_work", 64, 100)},
                           .counts_alone = true});
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_THAT(all[0].text, Not(HasSubstr("A change of all")));
  EXPECT_THAT(all[0].text, Not(HasSubstr("are ranked"))) << "as all are of one rule";
  EXPECT_FALSE(all[0].with_others);
}

TEST(advise_on, counts_and_prices_stand_where_threads_come_late_by_times_of_counted_runs) {
  const advice found = first_of({meeting("barrier", 1'000'000, 500, 100)},
                                {.wall_s = 1,
                                 .plain_wall_s = {0.5, 0.4, 0.6},
                                 .prices = {priced("barrier_after_work", 64, 100)},
                                 .counts_alone = true});
  EXPECT_EQ(found.rule, "barriers");
  EXPECT_TRUE(found.of_plain_runs);
  EXPECT_NEAR(found.at_least_s, 0.1, 1e-9);
}

TEST(advise_on, tasks_whose_threads_wait_for_the_last_one_may_save_that_too) {
  const advice_setting setting{.wall_s = 1, .prices = {priced("task_by_one", 0, 64 * 400)}};
  const site end = meeting("barrier", 1, 3e8, 10);
  EXPECT_NEAR(first_of({tasks(1'000'000), end}, setting).at_most_s, 0.2 + 0.3, 1e-9);
  EXPECT_THAT(first_of({tasks(1'000'000), end}, setting).text,
              HasSubstr("A thread is 0.3 s where its team meets before the last one arrives"));
  // Where they meet more often than there are tasks they run none.
  const site often = meeting("barrier", 2'000'000, 100, 10);
  EXPECT_NEAR(first_of({tasks(1'000'000), end, often}, setting).at_most_s, 0.2 + 0.3, 1e-9);
}

TEST(advise_on, tasks_may_be_waited_for_longer_in_a_plain_run) {
  const advice_setting setting{
      .wall_s = 1, .plain_wall_s = {1, 1, 1.3}, .prices = {priced("task_by_one", 0, 64 * 400)}};
  const advice found = first_of({tasks(1'000'000), meeting("barrier", 1, 3e8, 10)}, setting);
  EXPECT_EQ(found.rule, "tasks");
  EXPECT_NEAR(found.at_most_s, 0.5 + 0.3, 1e-9);
  EXPECT_NEAR(found.run_s, 1.3, 1e-9);
}

TEST(advise_on, tasks_of_several_places_are_one_advice) {
  const advice_setting setting{.wall_s = 0.5, .prices = {priced("task_by_one", 0, 64 * 400)}};
  const std::vector<advice> all = advised({tasks(400'000), tasks(600'000)}, setting);
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].site_id, 2U);
  EXPECT_THAT(all[0].more_ids, ::testing::ElementsAre(1));
  EXPECT_NEAR(all[0].at_most_s, 0.2, 1e-9);
  EXPECT_THAT(all[0].text, HasSubstr("1,000,000 tasks"));
}

TEST(advise_on, causes_whose_bound_is_the_run_are_ranked_by_what_was_seen_of_them) {
  // The calls for chunks take 0.15 s, and all from call to call 1 s.
  const site of_loop = chunks(2'000'000, 150, 850);
  const auto beside_tasks = [&](double each_ns, double late_s) {
    const advice_setting setting{.wall_s = 1, .prices = {priced("task_by_one", 0, 64 * each_ns)}};
    return advised({of_loop, tasks(1'000'000), meeting("barrier", 1, late_s * 1e9, 10)}, setting);
  };
  std::vector<advice> all = beside_tasks(1200, 0.5);
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_EQ(all[0].rule, "tasks");
  EXPECT_NEAR(all[0].seen_share, 0.6, 1e-9);
  EXPECT_EQ(all[0].at_most_s, 1);
  EXPECT_NEAR(all[1].seen_share, 0.15, 1e-9);
  EXPECT_EQ(all[1].at_most_s, 1);
  EXPECT_THAT(all[0].text, HasSubstr("a thread spends in each: tasks 60 %, chunks 15 %."));
  EXPECT_THAT(all[1].text, Not(HasSubstr("are ranked")));
  all = beside_tasks(210, 0.95);
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_EQ(all[0].rule, "chunks") << "tasks 0.105 s by their price";
  // A bound that leaves less than a fiftieth of the run tells no more than the run.
  EXPECT_EQ(beside_tasks(400, 0.785).at(0).rule, "tasks");
  all = beside_tasks(400, 0.775);
  EXPECT_EQ(all.at(0).rule, "chunks");
  EXPECT_THAT(all[0].text, Not(HasSubstr("are ranked")));
  // What is seen in one run has no part of what a longer one takes more.
  const advice longer = advised({of_loop}, {.wall_s = 1, .plain_wall_s = {1, 1, 2}}).at(0);
  EXPECT_EQ(longer.run_s, 2);
  EXPECT_NEAR(longer.seen_share, 0.15, 1e-9);
  // Without a price nothing is known of tasks.
  all = advised({tasks(1'000'000), of_loop}, {.wall_s = 1});
  EXPECT_EQ(all.at(0).rule, "chunks");
  EXPECT_THAT(all[0].text, HasSubstr("chunks 15 %, tasks not known."));
}

TEST(advise_on, calls_for_chunks_that_take_little_of_the_run_are_none_for_advice) {
  EXPECT_THAT(advised({chunks(20'000, 1000, 18'000)}, {.wall_s = 0.21}), IsEmpty());
  EXPECT_EQ(first_of({chunks(20'000, 1000, 18'000)}, {.wall_s = 0.19}).rule, "chunks");
}

TEST(advise_on, threads_that_sleep_are_named) {
  const site after_gap = region(1000, 60'000, 1000, 5000);
  const advice idle = first_of({after_gap}, {.wall_s = 1});
  EXPECT_EQ(idle.rule, "sleeping");
  EXPECT_THAT(idle.cause, HasSubstr("pass from one region to the next"));
  const site dearer = meeting("barrier", 1'000'000, 300, 50);
  EXPECT_EQ(first_of({dearer}, {.wall_s = 1}).rule, "imbalance");
  EXPECT_EQ(first_of({dearer, after_gap}, {.wall_s = 1}).rule, "sleeping");
  EXPECT_EQ(first_of({after_gap}, {.wall_s = 0.08}).rule, "regions");
  site single = after_gap;
  single.count = 1;
  EXPECT_EQ(first_of({single}, {.wall_s = 0.001}).rule, "none");
  EXPECT_EQ(first_of({after_gap}, {.wall_s = 0.08, .sleeps = true}).rule, "sleeping");
}

TEST(advise_on, threads_that_begin_late_as_others_have_their_processors_need_not_sleep) {
  // 1 ms late at each of 60, and to wake them as often takes 0.6 ms.
  advice_setting setting{
      .wall_s = 1, .usable_pus = 2, .sleeps = true, .others_share = 0.4, .allowed_pus = 2};
  EXPECT_EQ(first_of({region(60, 1e6, 1e6, 500)}, setting).rule, "none");
  EXPECT_EQ(first_of({region(6'000, 2e4, 1e5, 500)}, setting).rule, "sleeping");
  setting.run_delay_s = 0.01;
  EXPECT_EQ(first_of({region(60, 1e6, 1e6, 500)}, setting).rule, "sleeping") << "they had them";
  setting = {.wall_s = 1, .usable_pus = 2, .sleeps = true};
  EXPECT_EQ(first_of({region(60, 1e6, 1e6, 500)}, setting).rule, "sleeping");
}

TEST(advise_on, threads_that_are_awake_by_themselves_do_not_sleep) {
  const site after_gap = region(1000, 60'000, 1000, 5000);
  const auto rule_beside = [&](double cost_ns) {
    return first_of({after_gap},
                    {.wall_s = 0.3, .prices = {priced("region_around_work", 64, cost_ns)}})
        .rule;
  };
  EXPECT_EQ(rule_beside(8000), "regions");
  EXPECT_EQ(rule_beside(30'000), "sleeping");
}

TEST(advise_on, threads_that_hardly_ever_gave_up_their_cpu_did_not_sleep) {
  const site late = region(200, 17e6, 1000, 5000);
  const auto rule_with = [&](double switches) {
    return first_of({late}, {.wall_s = 10, .voluntary_switches = switches}).rule;
  };
  EXPECT_EQ(rule_with(89), "none");
  EXPECT_EQ(rule_with(190), "sleeping");
  // What they do before all regions counts.
  EXPECT_EQ(first_of({late, late}, {.wall_s = 10, .voluntary_switches = 190}).rule, "none");
  // Threads that begin in time have regions to save.
  EXPECT_EQ(
      first_of({region(1'000'000, 900, 1000, 5000)}, {.wall_s = 10, .voluntary_switches = 89}).rule,
      "regions");
  std::vector<std::string> notes;
  EXPECT_THAT(advise_on({late}, {.wall_s = 10, .voluntary_switches = 89}, notes), IsEmpty());
  EXPECT_THAT(notes, Contains(HasSubstr("begin 200 parallel regions 0.017 s late in the mean, and "
                                        "yet gave up their CPU 89 times")));
}

TEST(advise_on, a_late_start_is_no_imbalance) {
  site late = region(100'000, 2000, 500, 200);
  late.times->lateness.median_ns = 1500;
  EXPECT_EQ(first_of({late}, {.wall_s = 0.03}).rule, "regions");
  late.times->lateness.median_ns = 3500;
  EXPECT_EQ(first_of({late}, {.wall_s = 0.03}).rule, "imbalance");
}

TEST(advise_on, short_chunks_are_named_with_how_much_longer_they_should_be) {
  const site of = chunks(2'000'000, 100, 50);
  const advice bound = first_of({of}, {.wall_s = 0.2});
  EXPECT_EQ(bound.rule, "chunks");
  EXPECT_EQ(bound.kind, "bound");
  // Each of two threads fetches a million: the calls and what is between them.
  EXPECT_NEAR(bound.at_most_s, 0.15, 1e-9);
  EXPECT_THAT(bound.cause, HasSubstr("Chunks of at least 100 times as many iterations"));
  EXPECT_THAT(bound.cause, HasSubstr(": 2 threads fetch 2,000,000 chunks"));
  site alone = of;
  alone.threads = 1;
  EXPECT_THAT(first_of({alone}, {.wall_s = 0.2}).cause, HasSubstr(": 1 thread fetches 2,000,000"));
  // 128 chunks for each thread in one op.
  const advice estimate =
      first_of({of}, {.wall_s = 0.2, .prices = {priced("for_dynamic", 0, 128 * 80)}});
  EXPECT_EQ(estimate.kind, "estimate");
  EXPECT_NEAR(estimate.at_least_s, 0.08, 1e-9);
  EXPECT_NEAR(estimate.at_most_s, 0.15, 1e-9);
}

TEST(advise_on, a_price_with_next_to_no_work_is_none_of_longer_chunks) {
  advice_setting setting{.wall_s = 0.1, .prices = {priced("for_dynamic", 0, 128 * 80)}};
  EXPECT_EQ(first_of({chunks(200'000, 100, 600)}, setting).kind, "estimate");
  EXPECT_EQ(first_of({chunks(200'000, 100, 800)}, setting).kind, "bound");
}

TEST(advise_on, small_tasks_are_named_by_their_price) {
  EXPECT_THAT(advised({tasks(1'000'000)}, {.wall_s = 2.6}), IsEmpty());
  EXPECT_EQ(first_of({tasks(1'000'000)}, {.wall_s = 2.4}).kind, "bound");
  // 64 tasks for each thread in one op: each takes a thread 400 ns.
  advice_setting setting{.wall_s = 0.5, .prices = {priced("task_by_one", 0, 64 * 400)}};
  const advice small = first_of({tasks(1'000'000)}, setting);
  EXPECT_EQ(small.rule, "tasks");
  EXPECT_EQ(small.kind, "bound");
  EXPECT_NEAR(small.at_most_s, 0.2, 1e-9);
  EXPECT_THAT(small.cause, HasSubstr("so that it runs for 20 us or longer"));
  // The price is of tasks with next to no work: of those up to ten times as long.
  setting.wall_s = 1.9;
  EXPECT_EQ(first_of({tasks(1'000'000)}, setting).rule, "tasks");
  setting.wall_s = 2.1;
  EXPECT_THAT(advised({tasks(1'000'000)}, setting), IsEmpty());
}

TEST(advise_on, counts_alone_have_no_note_without_equal_work) {
  const advice_setting setting{.wall_s = 1,
                               .plain_wall_s = {0.5, 0.5, 0.5},
                               .prices = {priced("barrier_after_work", 64, 1)},
                               .counts_alone = true};
  EXPECT_THAT(advised({meeting("barrier", 1'000'000, 50, 250)}, setting), IsEmpty());
}

TEST(advise_on, tasks_are_counted_and_priced_where_counting_disturbs) {
  advice_setting setting{.wall_s = 0.5,
                         .plain_wall_s = {0.15, 0.14, 0.16},
                         .prices = {priced("task_by_one", 0, 64 * 400)},
                         .counts_alone = true};
  const advice found = first_of({tasks(1'000'000)}, setting);
  EXPECT_TRUE(found.of_plain_runs);
  EXPECT_NEAR(found.at_most_s, 0.16, 1e-9) << "the longest plain run";
  const advice fewer = first_of({tasks(300'000), meeting("barrier", 1, 1e7, 10)}, setting);
  EXPECT_NEAR(fewer.at_most_s, 0.16, 1e-9) << "what threads wait in it is not known";
  EXPECT_THAT(fewer.text, Not(HasSubstr("A thread is")));
  setting.counts_alone = false;
  EXPECT_FALSE(first_of({tasks(1'000'000)}, setting).of_plain_runs);
  setting.counts_alone = true;
  setting.prices.clear();
  EXPECT_FALSE(first_of({tasks(1'000'000)}, setting).of_plain_runs);
}

TEST(advise_on, threads_that_sleep_have_their_cpu_time_to_take_where_counting_disturbs) {
  price of_barrier = priced("barrier_after_work", 64, 8000);
  of_barrier.what.backend = "posix";
  advice_setting setting{.wall_s = 1,
                         .plain_wall_s = {0.35, 0.3, 0.4},
                         .prices = {of_barrier},
                         .user_s = {0.2, 0.1, 0.3},
                         .threads_at_work = 2,
                         .counts_alone = true};
  const std::vector<site> sites{meeting("barrier_wait", 20'000, 300, 12'000)};
  const advice found = first_of(sites, setting);
  EXPECT_EQ(found.rule, "sleeping");
  EXPECT_EQ(found.kind, "may_cost");
  EXPECT_TRUE(found.of_plain_runs);
  EXPECT_NEAR(found.at_most_s, 0.35, 1e-9) << "half of the least CPU time is left";
  EXPECT_NEAR(found.share_of_run(), 0.35 / 0.4, 1e-9);
  EXPECT_THAT(found.text, HasSubstr("By themselves so many take 0.16 s of 0.4 s"));
  EXPECT_THAT(found.text, HasSubstr("2 threads take 0.1 s of CPU time or more, and one of them "));
  EXPECT_THAT(found.text, HasSubstr("being awake saves at most 0.35 s"));
  setting.threads_at_work = 1;
  EXPECT_NEAR(first_of(sites, setting).at_most_s, 0.35, 1e-9) << "two meet";
  setting.threads_at_work = 4;
  EXPECT_NEAR(first_of(sites, setting).at_most_s, 0.375, 1e-9);
  setting.threads_at_work = 0;
  EXPECT_NEAR(first_of(sites, setting).at_most_s, 0.4, 1e-9);
  setting.prices.front().cost_ns = {1000, 1000, 1000};
  EXPECT_EQ(first_of(sites, setting).rule, "barriers") << "whoever spins needs no more";
}

TEST(advise_on, threads_that_do_tasks_meanwhile_wait_for_nobody) {
  const site end = meeting("region", 10, 1e7, 100);
  EXPECT_EQ(first_of({end}, {.wall_s = 0.2}).rule, "imbalance");
  EXPECT_THAT(advised({end, tasks(10)}, {.wall_s = 0.2}), IsEmpty());
  EXPECT_EQ(first_of({end, tasks(9)}, {.wall_s = 0.2}).rule, "imbalance");
}

TEST(advise_on, threads_that_sleep_may_lose_by_being_awake) {
  const advice found = first_of({meeting("barrier_wait", 10'000, 25'000, 15'000)}, {.wall_s = 1});
  EXPECT_EQ(found.rule, "sleeping");
  EXPECT_EQ(found.kind, "may_cost");
  EXPECT_THAT(found.cause, HasSubstr("keeps them awake. It may also take longer, as threads"))
      << "also where seconds are withheld";
  EXPECT_THAT(found.cause, HasSubstr("--try measures it."));
  EXPECT_EQ(saving_text(found), "saves at most 0.4 s of 1 s, or takes longer");
}

TEST(advise_on, threads_that_sleep_may_sleep_longer_in_a_plain_run) {
  const site of = meeting("barrier_wait", 10'000, 25'000, 15'000);
  const advice found = first_of({of}, {.wall_s = 1, .plain_wall_s = {1, 0.8, 1.3}});
  EXPECT_EQ(found.rule, "sleeping");
  EXPECT_NEAR(found.at_most_s, 0.7, 1e-9) << "0.6 s of the timed run are work";
  EXPECT_NEAR(found.share_of_run(), 0.7 / 1.3, 1e-9) << "of the run that these seconds are of";
  EXPECT_EQ(saving_text(found), "saves at most 0.7 s of 1.3 s, or takes longer");
  EXPECT_NEAR(first_of({of}, {.wall_s = 1, .plain_wall_s = {1, 1, 3}}).share_of_run(), 0.8, 1e-9);
  EXPECT_THAT(found.text,
              HasSubstr("Beside its work a thread spends 0.4 s of 1 s there; to stay awake "
                        "saves at most that, and 0.7 s of the longest run as it is, 1.3 "
                        "s."));
  EXPECT_NEAR(first_of({of}, {.wall_s = 1, .plain_wall_s = {0.8, 0.7, 0.9}}).at_most_s, 0.4, 1e-9);
}

TEST(advise_on, threads_that_take_turns_may_wait_longer_in_a_plain_run) {
  // A thread waits 0.5 s of 1 s.
  site of{.kind = "ordered", .module = "/bin/app", .count = 10'000, .threads = 2};
  of.times = site_times{.timed = 10'000, .call = {.sum_ns = 1e9}};
  const advice found = first_of({of}, {.wall_s = 1, .plain_wall_s = {1, 0.9, 1.25}});
  EXPECT_EQ(found.rule, "ordered");
  EXPECT_NEAR(found.at_most_s, 0.75, 1e-9);
  EXPECT_NEAR(found.share_of_run(), 0.75 / 1.25, 1e-9);
  EXPECT_THAT(found.text,
              HasSubstr("saves at most 0.5 s of 1 s. Threads may wait longer in "
                        "another run: of the longest run as it is, 1.2 s, that is at most "
                        "0.75 s."));
  const advice alike = first_of({of}, {.wall_s = 1, .plain_wall_s = {1, 0.9, 1.01}});
  EXPECT_NEAR(alike.at_most_s, 0.5, 1e-9);
  EXPECT_NEAR(alike.run_s, 1, 1e-9);
}

TEST(advise_on, whoever_waits_at_a_barrier_of_posix_sleeps) {
  // Each thread in turn is late, as it was woken: no imbalance.
  site of = meeting("barrier_wait", 10'000, 25'000, 15'000);
  const advice found = first_of({of}, {.wall_s = 1, .usable_pus = 2});
  EXPECT_EQ(found.rule, "sleeping");
  EXPECT_NEAR(found.at_most_s, 0.4, 1e-9);
  of.times->lateness.median_ns = 46'000;
  EXPECT_EQ(first_of({of}, {.wall_s = 1}).rule, "imbalance");
  // To be woken takes microseconds, to see a store of another thread hundreds of nanoseconds: both
  // threads together take 4 us, and 1.6 us.
  EXPECT_EQ(first_of({meeting("barrier_wait", 1'000'000, 300, 2000)}, {.wall_s = 10}).rule,
            "sleeping");
  EXPECT_EQ(first_of({meeting("barrier_wait", 1'000'000, 300, 800)}, {.wall_s = 10}).rule,
            "barriers");
  // A runtime's threads spin: those of a large team may take as long.
  EXPECT_EQ(
      first_of({meeting("barrier", 1'000'000, 300, 4000)}, {.wall_s = 10, .sleeps = true}).rule,
      "barriers");
  const advice crowded = first_of({of}, {.wall_s = 1, .usable_pus = 1});
  EXPECT_EQ(crowded.rule, "oversubscription");
  EXPECT_THAT(crowded.cause, Not(HasSubstr("OMP_NUM_THREADS")));
}

TEST(advise_on, what_takes_little_is_not_said) {
  EXPECT_THAT(advised({meeting("barrier", 10'000, 50, 250)}, {.wall_s = 1}), IsEmpty());
}

TEST(price_of, work_is_rounded_and_gaps_are_in_microseconds) {
  const program_file program{.path = "/bin/app", .runtimes = {"libgomp.so.1"}};
  const site of = region(10'000, 400, 900, 300);
  const meeting_pace pace = pace_of({of}, 0.5);
  const auto at = priced_point(of, pace, program);
  ASSERT_TRUE(at);
  EXPECT_EQ(at->backend, "omp");
  EXPECT_EQ(at->section_ns, 1024U);
  // 500 ms are 10,000 regions of 1.61 us and what lies between them.
  EXPECT_NEAR(pace.before_region_ns, 48'390, 1);
  EXPECT_EQ(at->gap_us, 48U);
}

TEST(setting_of_environment, threads_are_placed_and_wait_as_in_the_program) {
  EXPECT_EQ(setting_of_environment().placed, affinity::none);
  EXPECT_THAT(setting_of_environment().settings, Contains("OMP_WAIT_POLICY"));
  ::setenv("OMP_WAIT_POLICY", "PASSIVE", 1);
  ::setenv("OMP_PROC_BIND", "Spread", 1);
  EXPECT_EQ(setting_of_environment().placed, affinity::spread);
  EXPECT_THAT(setting_of_environment().settings, Contains("OMP_WAIT_POLICY=PASSIVE"));
  EXPECT_TRUE(has_passive_waits());
  EXPECT_THAT(setting_of_environment().why_not_placed, IsEmpty());
  ::setenv("OMP_PLACES", "{0}", 1);
  EXPECT_EQ(setting_of_environment().why_not_placed, "OMP_PLACES={0}");
  for (const char* name : {"OMP_WAIT_POLICY", "OMP_PROC_BIND", "OMP_PLACES"}) ::unsetenv(name);
}

}  // namespace
}  // namespace syncmeter::rules_test
