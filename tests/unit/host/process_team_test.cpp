// The team of processes: every lane of a region once, processes that outlive regions, what a lane
// throws, and what becomes of the team when one of them dies.
#include "core/host/teams.hpp"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <new>
#include <set>
#include <stdexcept>
#include <string>

#include <gmock/gmock.h>

#include "core/host/lane_memory.hpp"
#include "tests/unit/harness/scripted_bench.hpp"

namespace syncmeter {
namespace {

constexpr unsigned most_lanes = 4;

struct shared_state {
  std::array<pid_t, most_lanes> pids{};
  std::array<unsigned, most_lanes> runs{};
};
// Lanes are functions without an object of ours; where it lies every process knows.
shared_state* state = nullptr;

void note_process(bench&, unsigned lane) {
  state->pids.at(lane) = ::getpid();
  ++state->runs.at(lane);
}
void throw_in_lane_1(bench&, unsigned lane) {
  if (lane == 1) throw std::runtime_error("lane 1 says no");
}
void die_in_lane_1(bench&, unsigned lane) {
  if (lane == 1) ::raise(SIGKILL);
  while (lane == 0) ::pause();
}

class process_team_test : public testing::TestWithParam<wait_policy> {
 protected:
  process_team_test() { state = ::new (place(sizeof(shared_state))) shared_state; }
  ~process_team_test() override { std::destroy_at(&team_); }

  std::byte* place(std::size_t bytes) { return pages_.take(bytes, 128, "the test"); }
  bool run(unsigned lanes, lane_body body) { return team_.run(lanes, body, rig_); }
  [[nodiscard]] std::set<pid_t> processes_seen(unsigned lanes) const {
    return {state->pids.begin(), state->pids.begin() + lanes};
  }

  shared_pages pages_{1U << 20U};
  test::scripted_bench rig_{{}};
  process_team& team_{*::new (place(sizeof(process_team))) process_team{GetParam()}};
};

INSTANTIATE_TEST_SUITE_P(waiting, process_team_test,
                         testing::Values(wait_policy::active, wait_policy::passive),
                         [](const auto& policy) { return std::string{to_text(policy.param)}; });

TEST_P(process_team_test, a_region_runs_once_in_a_process_for_each_lane) {
  ASSERT_TRUE(run(most_lanes, &note_process));
  EXPECT_THAT(state->runs, testing::Each(1));
  EXPECT_EQ(processes_seen(most_lanes).size(), most_lanes);
  EXPECT_EQ(state->pids[0], ::getpid());
}

TEST_P(process_team_test, processes_outlive_regions_until_there_are_to_be_others) {
  ASSERT_TRUE(run(3, &note_process));
  const auto first = processes_seen(3);
  ASSERT_TRUE(run(3, &note_process));
  EXPECT_EQ(processes_seen(3), first);
  ASSERT_TRUE(run(2, &note_process));
  EXPECT_FALSE(first.contains(state->pids[1]));
  for (const pid_t pid : first) {
    if (pid != ::getpid()) {
      EXPECT_EQ(::kill(pid, 0), -1) << "its process is still there";
    }
  }
}

TEST_P(process_team_test, what_a_lane_throws_is_thrown_where_the_team_was_asked) {
  EXPECT_THROW(
      {
        try {
          (void)run(2, &throw_in_lane_1);
        } catch (const std::runtime_error& e) {
          EXPECT_STREQ(e.what(), "lane 1 says no");
          throw;
        }
      },
      std::runtime_error);
  ASSERT_TRUE(run(2, &note_process)) << "the team goes on";
  EXPECT_EQ(state->runs[1], 1U);
}

/// For a process of its own: what it writes to pages shared with this process would be seen here.
process_team& team_in(shared_pages& pages, wait_policy waiting) {
  return *::new (pages.take(sizeof(process_team), 128, "a team")) process_team{waiting};
}

TEST_P(process_team_test, a_lane_that_dies_ends_all) {
  const auto run_and_lose_one = [this] {
    shared_pages pages{1U << 20U};
    (void)team_in(pages, GetParam()).run(2, &die_in_lane_1, rig_);
  };
  EXPECT_EXIT(run_and_lose_one(), testing::ExitedWithCode(1), "a process of the team died");
}

// Random kills met a lane while its team was released: the worker went on as if nothing had been.
TEST_P(process_team_test, a_lane_that_dies_instead_of_ending_is_reported) {
  const auto lose_one_and_release = [this] {
    sigset_t deaths;
    ::sigemptyset(&deaths);
    ::sigaddset(&deaths, SIGCHLD);
    ::sigprocmask(SIG_BLOCK, &deaths, nullptr);
    shared_pages pages{1U << 20U};
    process_team& team = team_in(pages, GetParam());
    (void)team.run(2, &note_process, rig_);
    ::kill(state->pids[1], SIGKILL);
    team.release();
  };
  EXPECT_EXIT(lose_one_and_release(), testing::ExitedWithCode(1), "a process of the team died");
}

}  // namespace
}  // namespace syncmeter
