// What runs of a program took, by what was done to them.
#include "driver/advise/program_runs.hpp"

#include <tuple>

#include <gmock/gmock.h>

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

}  // namespace
}  // namespace syncmeter::program_runs_test
