// Samples of CPU time: which code a process had in its memory when one was taken, how much of the
// time those of a site stand for, and which sentence it gets.
#include "driver/advise/samples.hpp"

#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "driver/advise/rules.hpp"

namespace syncmeter::samples_test {
namespace {

using enum memory_event::type;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::uint64_t period_ns = 1'000'000;

std::vector<advice> advised(const std::vector<site>& sites, const advice_setting& setting) {
  std::vector<std::string> notes;
  return advise_on(sites, setting, notes);
}

/// Every offset is a locked instruction's of its own.
std::map<std::uint64_t, sampled_code> all_locked(const std::string&,
                                                 const std::set<std::uint64_t>& offsets) {
  std::map<std::uint64_t, sampled_code> found;
  for (const std::uint64_t offset : offsets) found[offset] = {offset, "atomic", "lock_add"};
  return found;
}

memory_event mapping(std::uint64_t time, std::uint32_t process, const std::string& path,
                     std::uint64_t first = 0x1000, std::uint64_t offset = 0) {
  return {.what = map,
          .time_ns = time,
          .process = process,
          .first = first,
          .end = first + 0x1000,
          .offset = offset,
          .path = path};
}

/// Module and address of the site of each sample.
std::vector<std::pair<std::string, std::uint64_t>> places(std::vector<memory_event> events,
                                                          std::vector<cpu_sample> samples) {
  const sampled_sites found = sites_of_samples(
      {.period_ns = period_ns, .samples = std::move(samples), .events = std::move(events)}, 1,
      all_locked);
  std::vector<std::pair<std::string, std::uint64_t>> all;
  for (const site& each : found.sites) all.emplace_back(each.module, each.offset);
  return all;
}

TEST(Samples, AreOfTheFileThatIsMapped) {
  EXPECT_THAT(places({mapping(1, 7, "/app", 0x5000, 0x2000)},
                     {{2, 0x5010, 7, 7}, {3, 0x6000, 7, 7}, {4, 0x5010, 8, 8}}),
              ElementsAre(std::pair("/app", 0x2010)));
  EXPECT_THAT(places({mapping(1, 7, "[vdso]")}, {{2, 0x1010, 7, 7}}), IsEmpty());
}

TEST(Samples, PagesWithHardlyAnyAreNotDisassembled) {
  // One of 1000 samples is far from the others, and five are at two places of one page.
  cpu_samples taken{.period_ns = period_ns,
                    .samples = {},
                    .events = {mapping(0, 7, "/app"), mapping(0, 7, "/large", 0x100000)}};
  taken.events.back().end = 0x900000;
  for (std::uint64_t i = 0; i < 1000; ++i)
    taken.samples.push_back({i * period_ns,
                             i == 0   ? 0x300000U
                             : i < 3  ? 0x500010U
                             : i < 6  ? 0x500020U
                             : i < 20 ? 0x700000U
                                      : 0x1010U,
                             7, 7});
  std::map<std::string, std::set<std::uint64_t>> asked;
  const sampled_sites found = sites_of_samples(
      std::move(taken), 1, [&](const std::string& path, const std::set<std::uint64_t>& offsets) {
        asked[path] = offsets;
        return all_locked(path, offsets);
      });
  EXPECT_THAT(asked["/large"], ElementsAre(0x400010, 0x400020, 0x600000));
  EXPECT_THAT(found.sites.size(), 4U);
}

TEST(Samples, AProcessKeepsItsParentsCodeUntilExec) {
  const std::vector<memory_event> events{mapping(1, 7, "/app"),
                                         {.what = fork, .time_ns = 3, .process = 8, .parent = 7},
                                         {.what = exec, .time_ns = 5, .process = 8},
                                         mapping(6, 8, "/other")};
  EXPECT_THAT(places(events, {{4, 0x1010, 8, 8}}), ElementsAre(std::pair("/app", 0x1010 - 0x1000)));
  EXPECT_THAT(places(events, {{7, 0x1010, 8, 8}}), ElementsAre(std::pair("/other", 0x10)));
  EXPECT_THAT(places({events.begin(), events.end() - 1}, {{7, 0x1010, 8, 8}}), IsEmpty());
}

TEST(Samples, CodeBehindCallsIsLeftOut) {
  for (const char* path : {"/lib/libc.so.6", "/lib/libgomp.so.1", "/lib/ld-linux-x86-64.so.2"})
    EXPECT_THAT(places({mapping(1, 7, path)}, {{2, 0x1010, 7, 7}}), IsEmpty()) << path;
}

/// Threads run for a second each, one after the other or at the same time: the first at a site, the
/// others elsewhere.
site site_of_second(unsigned threads, bool at_once, double wall_s,
                    const std::string& others = "/other") {
  cpu_samples taken{.period_ns = period_ns,
                    .samples = {},
                    .events = {mapping(0, 7, "/app"), mapping(0, 7, others, 0x2000)}};
  for (unsigned thread = 0; thread < threads; ++thread)
    for (unsigned i = 0; i < 1000; ++i)
      taken.samples.push_back({.time_ns = (at_once ? i : thread * 1000 + i) * period_ns + 1,
                               .address = thread == 0 ? 0x1010U : 0x2010U,
                               .process = 7,
                               .thread = thread});
  return sites_of_samples(std::move(taken), wall_s, all_locked).sites.front();
}

/// Two threads run for a second each, both at one site.
site both_at_one_site(bool at_once, double wall_s) {
  cpu_samples taken{.period_ns = period_ns, .samples = {}, .events = {mapping(0, 7, "/app")}};
  for (std::uint64_t i = 0; i < 2000; ++i)
    taken.samples.push_back({.time_ns = (at_once ? i / 2 : i) * period_ns,
                             .address = 0x1010,
                             .process = 7,
                             .thread = static_cast<std::uint32_t>(at_once ? i % 2 : i / 1000)});
  return sites_of_samples(std::move(taken), wall_s, all_locked).sites.front();
}

TEST(Samples, APathIsThatOfOneThread) {
  const site half = site_of_second(2, true, 1);
  EXPECT_EQ(half.samples->taken, 1000U);
  EXPECT_NEAR(half.samples->share, 0.5, 1e-9);
  EXPECT_NEAR(half.samples->path_share, 1, 0.01);
  EXPECT_EQ(half.threads, 1U);
  // One after the other: of two seconds each has one.
  EXPECT_NEAR(site_of_second(2, false, 2).samples->path_share, 0.5, 0.01);
  // Two that wait for each other all the time.
  EXPECT_NEAR(both_at_one_site(true, 1).samples->path_share, 1, 0.01);
}

TEST(Samples, APathIsThatOfThreadsInTurn) {
  EXPECT_NEAR(both_at_one_site(false, 2).samples->path_share, 1, 0.01);
}

TEST(Samples, AThreadThatWaitsInARuntimeDoesNoWork) {
  // Half of the time another thread works, which waits in a runtime otherwise.
  for (const bool works : {true, false}) {
    cpu_samples taken{
        .period_ns = period_ns,
        .samples = {},
        .events = {mapping(0, 7, "/app"), mapping(0, 7, "/lib/libgomp.so.1", 0x2000)}};
    for (std::uint64_t i = 0; i < 1000; ++i) {
      taken.samples.push_back({i * period_ns, 0x1010, 7, static_cast<std::uint32_t>(i / 500)});
      taken.samples.push_back({i * period_ns, works ? 0x1500U : 0x2010U, 7, 9});
    }
    const site first = sites_of_samples(std::move(taken), 1, all_locked).sites.front();
    EXPECT_NEAR(first.samples->path_share, works ? 0.5 : 1, 0.01);
  }
}

TEST(Samples, ThreadsAreThoseAtTheSameTime) {
  EXPECT_EQ(site_of_second(1, true, 1).threads, 1U);
  cpu_samples taken{.period_ns = period_ns, .samples = {}, .events = {mapping(0, 7, "/app")}};
  for (const std::uint32_t thread : {1U, 2U, 3U})
    taken.samples.push_back({.time_ns = (thread == 3 ? 100 : 1) * period_ns,
                             .address = 0x1010,
                             .process = 7,
                             .thread = thread});
  EXPECT_EQ(sites_of_samples(std::move(taken), 1, all_locked).sites.front().threads, 2U);
}

site sampled_site(const std::string& kind, double share, unsigned threads = 2,
                  std::uint64_t taken = 1000) {
  return {.kind = kind,
          .module = "/app",
          .threads = threads,
          .frames = {{.function = "work", .file = "app.cpp", .line = 7}},
          .samples = site_samples{.taken = taken,
                                  .share = share,
                                  .path_share = share,
                                  .function_share = share,
                                  .function_path_share = share},
          .operation = kind == "atomic" ? "lock_add" : ""};
}

TEST(Samples, SitesThatTakeLittleAreNotShown) {
  std::vector<site> sites{{.kind = "mutex_lock", .module = "/app", .count = 5},
                          sampled_site("atomic", 0.009),
                          sampled_site("atomic", 0.011),
                          sampled_site("memory", 0.19),
                          sampled_site("memory", 0.21),
                          sampled_site("memory", 0.5, 1)};
  choose_sampled_sites(sites);
  std::vector<std::string> kinds;
  for (const site& each : sites) kinds.push_back(each.kind);
  EXPECT_THAT(kinds, ElementsAre("memory", "atomic", "mutex_lock"));
}

/// What the samples on the instruction after the next one add.
constexpr double with_next = 1.12;

TEST(Samples, AdviceOnAtomicsIsAnUpperBound) {
  const std::vector<advice> found =
      advised({sampled_site("atomic", 0.64, 2, 10'000)}, {.wall_s = 2});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.front().rule, "atomics");
  // Two standard deviations of 10,000 samples are 2 %.
  EXPECT_NEAR(found.front().at_most_s, 0.64 * 1.02 * with_next * 2, 1e-9);
  EXPECT_THAT(
      found.front().text,
      HasSubstr("work app.cpp:7: up to 1.5 s of 2 s are at a locked instruction (lock_add)"));
  EXPECT_THAT(found.front().text, HasSubstr("costs less than it seems"));
}

TEST(Samples, AdviceOnAtomicsIsOneForAFunction) {
  // A spin lock: its exchange, the load that waits for it, and the work under it.
  std::vector<site> sites{sampled_site("atomic", 0.1), sampled_site("atomic", 0.2),
                          sampled_site("memory", 0.15), sampled_site("memory", 0.3)};
  sites[3].frames.back().function = "other";
  choose_sampled_sites(sites);
  const std::vector<advice> found = advised(sites, {.wall_s = 2});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(sites[found.front().site_id - 1].samples->share, 0.2);
  const double noise = 1 + 2 / std::sqrt(1000.0);
  EXPECT_NEAR(found.front().at_most_s, (0.1 + 0.2 + 0.15) * noise * with_next * 2, 1e-9);
  EXPECT_THAT(found.front().text,
              HasSubstr("(lock_add) and the loads and stores of the same function, in 2 threads"));
}

TEST(Samples, NothingIsAdvisedWhereAnAtomicMayCostNothing) {
  EXPECT_THAT(advised({sampled_site("atomic", 0.24)}, {.wall_s = 2}), IsEmpty());
  EXPECT_THAT(advised({sampled_site("atomic", 0.9, 1)}, {.wall_s = 2}), IsEmpty());
  EXPECT_THAT(advised({sampled_site("atomic", 0.9, 2, 40)}, {.wall_s = 2}), IsEmpty());
  EXPECT_THAT(advised({sampled_site("memory", 0.9)}, {.wall_s = 2}), IsEmpty());
}

TEST(Samples, ThreadsAtWorkHaveATenthOfTheMost) {
  cpu_samples taken;
  const auto add = [&](std::uint32_t process, std::uint32_t thread, std::size_t samples) {
    for (std::size_t i = 0; i < samples; ++i)
      taken.samples.push_back({.process = process, .thread = thread});
  };
  EXPECT_EQ(threads_at_work(taken), 0U);
  add(1, 1, 9);
  add(1, 2, 100);
  add(1, 3, 10);
  add(2, 2, 50);
  EXPECT_EQ(threads_at_work(taken), 3U);
}

}  // namespace
}  // namespace syncmeter::samples_test
