// Late arrivals: whose turn it is, and that a delay or a barrier that is not there fails the
// sample.
#include "core/host/lateness.hpp"

#include <gmock/gmock.h>

#include "core/ops/host.hpp"
#include "tests/unit/host/thread_team.hpp"

namespace syncmeter::lateness_test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr unsigned lanes = 4;
// So long that lanes which are kept from their processing units by others lose less than that.
constexpr unsigned late_us = 30'000;

template <class T, order O> class punctual_lane : public test::sound_lane<T, O> {
 public:
  using test::sound_lane<T, O>::sound_lane;
  void be_late() const {}
};

// One sample on threads that are not bound: of `index`, four steps a trip.
template <template <class, order> class Lane>
sample take(std::size_t index, unsigned late, std::uint32_t trips = 4) {
  static constexpr auto rows = bind_untyped<test::backend<Lane>>(host_ops{});
  const topology machine = topology::of_this_machine();
  start_gate barrier;
  host_rig rig{machine, &test::run_threads, &test::release_nothing, &barrier};
  const point where{.backend = "test", .op = "barrier_late", .lanes = lanes, .late_us = late};
  rig.prepare(rows[0], where, std::vector<int>(lanes, -1), false);
  return rig.take(index, trips);
}

// What a fault leaves on a machine so busy that its lanes hardly ran may last as long as the delays
// would have; of a few samples one does not.
template <template <class, order> class Lane> std::string fault_of(std::size_t index) {
  std::string failure;
  for (int tries = 0; failure.empty() && tries < 20; ++tries)
    failure = take<Lane>(index, late_us).failure;
  return failure;
}

TEST(lateness, delays_that_are_there_pass_on_both_sides) {
  EXPECT_THAT(take<test::sound_lane>(0, late_us, 1).failure, IsEmpty());
  EXPECT_THAT(take<test::sound_lane>(1, late_us, 1).failure, IsEmpty());
  EXPECT_THAT(take<test::sound_lane>(1, 0).failure, IsEmpty()) << "nobody late";
}

TEST(lateness, a_delay_that_is_not_there_fails_both_sides) {
  for (const std::size_t index : {0U, 1U})
    EXPECT_THAT(fault_of<punctual_lane>(index),
                HasSubstr("oracle: 16 arrivals in sequence, each 30000 us late"));
}

// Of 16 steps each lane is late in the first and in its own four: without a barrier they overlap.
TEST(lateness, a_late_lane_that_nobody_waits_for_fails) {
  EXPECT_THAT(fault_of<test::broken_lane>(1), HasSubstr("or the barrier did not wait for it"));
}

TEST(lateness, goes_round_the_lanes_once_a_barrier_was_passed) {
  late_list turns = turns_of(2, 1000);
  const auto takes_long = [](late_turns& of) {
    const auto start = steady_ns();
    keep_back(of);
    return steady_ns() - start >= 1'000'000;
  };
  EXPECT_TRUE(takes_long(turns[1])) << "no barrier yet: every lane";
  for (late_turns& of : turns) of.barrier_passed = 1;
  turns[0].step = turns[1].step = 1;
  EXPECT_TRUE(takes_long(turns[1])) << "its turn";
  EXPECT_TRUE(!takes_long(turns[0]) || !takes_long(turns[1]))
      << "at least one of two that are not in turn comes back at once";
}

TEST(lateness, time_is_checked_exactly) {
  EXPECT_THAT(check_lateness(40'000, 4, 10), IsEmpty());
  EXPECT_THAT(check_lateness(39'999, 4, 10), HasSubstr("oracle"));
  EXPECT_THAT(check_lateness(0, 4, 0), IsEmpty());
}

TEST(lateness, cpu_time_of_a_wait_is_what_a_turn_takes_beyond_its_own_delay) {
  // Lane 0 had three turns after a barrier, 5 us late each; lane 1 had one, and so no wait between.
  auto all = turns_of(2, 5);
  all[0].waits = 2;
  all[0].first_cpu_ns = 1'000'000;
  all[0].last_cpu_ns = 1'000'000 + 2 * (5000 + 700);
  all[1].first_cpu_ns = all[1].last_cpu_ns = 40;
  EXPECT_DOUBLE_EQ(waiting_cpu_ns(all).value(), 700);
  EXPECT_FALSE(waiting_cpu_ns(turns_of(2, 5)).has_value());
}

TEST(lateness, a_turn_notes_the_time_of_its_own_thread) {
  auto all = turns_of(1, 200);
  keep_back(all[0]);
  EXPECT_FALSE(waiting_cpu_ns(all).has_value()) << "no barrier was passed yet";
  all[0].barrier_passed = 1;
  for (int turn = 0; turn < 4; ++turn) keep_back(all[0]);
  ASSERT_EQ(all[0].waits, 3U);
  // Alone it never waits, and burns its delays: less where it lost its processing unit meanwhile.
  EXPECT_LT(waiting_cpu_ns(all).value(), 100e3);
}

}  // namespace
}  // namespace syncmeter::lateness_test
