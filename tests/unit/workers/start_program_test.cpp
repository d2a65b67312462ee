// How a worker is started: its environment, its CPU mask, and the end of what it says.
#include "driver/workers/worker_process.hpp"

#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <string>

#include <gmock/gmock.h>

namespace syncmeter::launch_test {
namespace {

using namespace std::chrono_literals;
using testing::Not;

constexpr auto generous = 20s;

TEST(start_program, removes_what_would_place_or_size_a_pool) {
  ::setenv("OMP_PLACES", "cores", 1);
  ::setenv("KMP_AFFINITY", "compact", 1);
  ::setenv("OMP_PLACES_OF_MINE", "kept", 1);
  ::setenv("OMP_WAIT_POLICY", "active", 1);
  const auto environment = worker_environment(wait_policy::passive);
  ::unsetenv("OMP_PLACES");
  ::unsetenv("KMP_AFFINITY");
  ::unsetenv("OMP_PLACES_OF_MINE");
  ::unsetenv("OMP_WAIT_POLICY");
  EXPECT_THAT(environment, testing::Contains("OMP_WAIT_POLICY=passive"));
  EXPECT_THAT(environment, testing::Contains("OMP_PLACES_OF_MINE=kept"));
  EXPECT_THAT(environment, Not(testing::Contains(testing::StartsWith("OMP_PLACES="))));
  EXPECT_THAT(environment, Not(testing::Contains(testing::StartsWith("KMP_AFFINITY="))));
  EXPECT_THAT(environment, Not(testing::Contains("OMP_WAIT_POLICY=active")));
}

TEST(start_program, leaves_out_a_setting_that_is_a_name_alone) {
  const auto environment =
      worker_environment(wait_policy::active, 0, {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT=9"});
  EXPECT_THAT(environment, Not(testing::Contains(testing::StartsWith("OMP_WAIT_POLICY"))));
  EXPECT_THAT(environment, testing::Contains("GOMP_SPINCOUNT=9"));
}

TEST(start_program, tells_a_pool_its_size_and_keeps_tools_away) {
  ::setenv("KOKKOS_NUM_THREADS", "7", 1);
  ::setenv("KOKKOS_TOOLS_LIBS", "libspy.so", 1);
  const auto told = worker_environment(wait_policy::active, 3);
  const auto untold = worker_environment(wait_policy::active);
  ::unsetenv("KOKKOS_NUM_THREADS");
  ::unsetenv("KOKKOS_TOOLS_LIBS");
  EXPECT_THAT(told, testing::Contains("KOKKOS_NUM_THREADS=3"));
  for (const auto& environment : {told, untold}) {
    EXPECT_THAT(environment, Not(testing::Contains("KOKKOS_NUM_THREADS=7")));
    EXPECT_THAT(environment, Not(testing::Contains(testing::StartsWith("KOKKOS_TOOLS_LIBS="))));
  }
  EXPECT_THAT(untold, Not(testing::Contains(testing::StartsWith("KOKKOS_NUM_THREADS="))));
}

TEST(start_program, gives_the_worker_the_mask_asked_for) {
  cpu_set_t ours;
  ASSERT_EQ(::sched_getaffinity(0, sizeof ours, &ours), 0);
  int first = 0;
  while (!CPU_ISSET(static_cast<std::size_t>(first), &ours)) ++first;
  worker_process worker(
      "test",
      {.path = "/bin/sh",
       .arguments =
           {"-c",
            "grep Cpus_allowed_list /proc/self/status | tr '\\t' ' ' | sed 's/.*/{\"is\":\"&\"}/'"},
       .wait = {},
       .cpus = {first}});
  EXPECT_EQ(worker.receive(generous).object.at("is"),
            "Cpus_allowed_list: " + std::to_string(first));
}

TEST(run_in_our_place, ends_what_takes_too_long) {
  const finished_program late =
      run_in_our_place("/bin/sleep", {"sleep", "60"}, {}, {0, 1, 2}, 0.05);
  EXPECT_TRUE(late.timed_out && WIFSIGNALED(late.wait_status));
  const finished_program in_time =
      run_in_our_place("/bin/sleep", {"sleep", "0"}, {}, {0, 1, 2}, 60);
  EXPECT_FALSE(in_time.timed_out);
  EXPECT_EQ(in_time.wait_status, 0);
}

/// By a shell, of which we are the parent.
finished_program run_shell(const std::string& words) {
  return run_in_our_place("/bin/sh", {"sh", "-c", words}, {}, {0, 1, 2}, 60);
}

TEST(run_in_our_place, is_interrupted_where_ctrl_c_ended_the_program) {
  const auto before = ::signal(SIGINT, SIG_DFL);  // a shell's background jobs ignore it
  EXPECT_EQ(run_shell("kill -INT $PPID; exit 130").interrupted_by, SIGINT) << "it was caught";
  EXPECT_EQ(run_shell("kill -INT $PPID; exit 3").interrupted_by, 0) << "the program goes on";
  EXPECT_EQ(run_shell("exit 130").interrupted_by, 0) << "nobody asked for it";
  EXPECT_EQ(run_shell("kill -INT $$").interrupted_by, SIGINT);
  ::signal(SIGINT, before);
}

TEST(run_in_our_place, passes_on_what_asks_it_to_end_from_the_begin_on) {
  const auto before = ::signal(SIGTERM, SIG_DFL);
  const finished_program done = run_shell("kill -TERM $PPID; exec sleep 50");
  EXPECT_EQ(done.interrupted_by, SIGTERM);
  EXPECT_TRUE(WIFSIGNALED(done.wait_status) && WTERMSIG(done.wait_status) == SIGTERM);
  ::signal(SIGTERM, before);
}

TEST(counted_switches, none_of_either_kind_are_not_counted) {
  EXPECT_EQ(counted_switches(0, 0), std::nullopt);
  EXPECT_EQ(counted_switches(0, 3), 0);
  EXPECT_EQ(counted_switches(5, 0), 5);
}

TEST(stream_tail, keeps_the_last_bytes) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  stream_tail tail(4);
  ASSERT_EQ(::write(ends[1], "abcdefg\n", 8), 8);
  EXPECT_EQ(tail.read_from(ends[0]), read_outcome::some);
  EXPECT_EQ(tail.text(), "efg");
  ::close(ends[1]);
  EXPECT_EQ(tail.read_from(ends[0]), read_outcome::end);
  ::close(ends[0]);
}

}  // namespace
}  // namespace syncmeter::launch_test
