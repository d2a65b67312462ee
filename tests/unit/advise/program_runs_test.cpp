// What runs of a program took, by what was done to them.
#include "driver/advise/program_runs.hpp"

#include <string>
#include <tuple>

#include <gmock/gmock.h>

#include "driver/advise/probe_settings.hpp"

namespace syncmeter::program_runs_test {
namespace {

TEST(as_it_is, is_of_plain_runs_and_reaches_to_the_sampled_one) {
  const auto run = [](const char* arm, double user_s) {
    return program_run{.arm = arm, .wall_s = 1, .user_s = user_s};
  };
  const std::vector<program_run> runs{run("plain", 0.5), run("count", 3),   run("sample", 0.9),
                                      run("time", 3),    run("plain", 0.7), run("plain", 0.6)};
  const interval found = as_it_is(runs, &program_run::user_s);
  EXPECT_EQ(std::tuple(found.value, found.low, found.high), std::tuple(0.6, 0.5, 0.9));
  EXPECT_EQ(as_it_is({}, &program_run::user_s).high, 0);
}

TEST(timed_every, times_each_of_the_meetings_that_a_loop_has_in_turn) {
  const auto of_barriers = [](std::uint64_t count) {
    const site met{.kind = "barrier", .module = "", .offset = 0, .team = 4, .count = count};
    return std::stoul(timed_every({met}, 1));
  };
  EXPECT_EQ(of_barriers(100'000), 1);
  for (const std::uint64_t count : {200'000U, 800'000U, 1'200'000U, 1'400'000U}) {
    EXPECT_GE(of_barriers(count), count / 100'000);
    for (unsigned in_turn = 2; in_turn <= 10; ++in_turn)
      EXPECT_NE(of_barriers(count) % in_turn, 0) << in_turn;
  }
}

}  // namespace
}  // namespace syncmeter::program_runs_test
