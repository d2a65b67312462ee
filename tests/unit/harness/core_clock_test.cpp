// The clock of a core: readings that were disturbed do not count, and this core's is one that cores
// have.
#include "core/harness/core_probes.hpp"

#include <gmock/gmock.h>

namespace syncmeter::core_clock_test {
namespace {

using testing::AllOf;
using testing::DoubleNear;
using testing::Gt;
using testing::Lt;

core_clock after(std::initializer_list<double> readings) {
  core_clock clock;
  for (const double ghz : readings) clock.add(ghz);
  return clock;
}

TEST(core_clock, is_unknown_before_a_reading) { EXPECT_EQ(core_clock{}.ghz(), 0); }

TEST(core_clock, leaves_out_readings_that_were_disturbed) {
  EXPECT_THAT(after({3.0, 3.2, 0.1, 3.0, 3.2, 90, 3.0, 3.2}).ghz(), DoubleNear(3.1, 1e-9));
}

TEST(core_clock, a_chain_that_took_no_time_is_no_reading) {
  EXPECT_EQ(after({2.5, 0, -1}).ghz(), 2.5);
}

TEST(core_clock, forgets_what_was_long_ago_and_before_a_point) {
  core_clock clock = after({4, 4, 4, 4, 4, 4, 4, 4, 2, 2, 2, 2, 2, 2, 2, 2});
  EXPECT_EQ(clock.ghz(), 2);
  clock.clear();
  EXPECT_EQ(clock.ghz(), 0);
}

TEST(core_clock, a_probe_is_held_against_the_fastest_clock_that_lasted) {
  core_clock clock = after({3.4, 3.4, 3.4});
  EXPECT_EQ(clock.share_of_fastest(), 1) << "three readings are too few to be believed";
  clock = after({3.4, 3.4, 3.4, 3.4});
  clock.clear();
  EXPECT_EQ(clock.share_of_fastest(), 1) << "nobody knows the clock of now";
  clock.add(3.0);
  EXPECT_THAT(clock.share_of_fastest(), DoubleNear(3.0 / 3.4, 1e-9));
  clock.clear();
  clock.add(90);
  EXPECT_EQ(clock.share_of_fastest(), 1) << "a single reading makes no clock the fastest";
  clock.clear();
  for (int i = 0; i < 4; ++i) clock.add(3.6);
  clock.clear();
  clock.add(3.0);
  EXPECT_THAT(clock.share_of_fastest(), DoubleNear(3.0 / 3.6, 1e-9));
}

TEST(core_clock, this_core_has_one) {
  core_clock clock;
  for (int reading = 0; reading < 8; ++reading) clock.add(read_core_clock_ghz());
  EXPECT_THAT(clock.ghz(), AllOf(Gt(0.05), Lt(12)));
}

}  // namespace
}  // namespace syncmeter::core_clock_test
