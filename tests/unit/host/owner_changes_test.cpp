// Owner changes of locks with a known next owner: every acquisition counts if lanes share a lock.
#include <sched.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <thread>

#include <gtest/gtest.h>

#include "core/ops/atomic.hpp"
#include "core/ops/held_lock.hpp"
#include "core/ops/primitive.hpp"
#include "tests/unit/host/thread_team.hpp"

namespace syncmeter::owner_changes_test {
namespace {

int first_allowed() {
  static const int first = [] {
    cpu_set_t allowed;
    sched_getaffinity(0, sizeof allowed, &allowed);
    int cpu = 0;
    while (!CPU_ISSET(cpu, &allowed)) ++cpu;
    return cpu;
  }();
  return first;
}

constexpr std::uint32_t trips = 20;
constexpr unsigned acquisitions = 2 * trips;  // of each lane: the test side has two in a step

/// A lock that lanes acquire `Run` times in a row, by turns.
template <unsigned Run> class lock_by_turns {
 public:
  explicit lock_by_turns(sharers who) : lanes_{who.lanes} {}
  void lock(unsigned lane) {
    while (acquired_.load(std::memory_order_acquire) / Run % lanes_ != lane % lanes_)
      std::this_thread::yield();
  }
  void unlock(unsigned /*lane*/) { acquired_.fetch_add(1, std::memory_order_release); }

 private:
  unsigned lanes_;
  std::atomic<unsigned> acquired_{0};
};

template <unsigned Run> struct add_by_turns : self_paired<add_by_turns<Run>> {
  using object = lock_by_turns<Run>;
  static constexpr auto info = locked_add_info("add_by_turns");
  SM_FN static void common(auto& lane) {
    lane.object().lock(lane.number());
    lane.plain_add(lane.cell());
    lane.object().unlock(lane.number());
  }
};

template <unsigned Run> struct held_by_turns : ops::held_op<lock_by_turns<Run>> {
  static constexpr auto info = ops::hold_info("held_by_turns", "");
};

struct read_together : self_paired<read_together> {
  static constexpr auto info =
      locked_add_info("read_together").with(&op_info::oracle, oracle::none);
  SM_FN static void common(auto& lane) { lane.sink(lane.plain_read(lane.cell())); }
};

/// Its lanes preempt each other on one processing unit, although the rig binds no lane.
struct add_in_a_crowd : add_by_turns<1> {
  struct object : lock_by_turns<1> {
    explicit object(sharers who) : lock_by_turns{who} { ++made; }
    static inline unsigned made = 0;
  };
  SM_FN static void common(auto& lane) {
    cpu_set_t first;
    CPU_ZERO(&first);
    CPU_SET(first_allowed(), &first);
    sched_setaffinity(0, sizeof first, &first);
    add_by_turns::common(lane);
  }
  SM_FN static void measured(auto& lane) { common(lane); }
};

// Counts on one processing unit for all lanes: their yields do not count as disturbances.
template <class Op> std::optional<double> counted(point where, int pu = first_allowed()) {
  using type = std::conditional_t<Op::info.typed, std::int32_t, void>;
  static const auto rows =
      rows_of_part<test::backend<test::sound_lane>, type, table_part{}>(op_list<Op>{});
  const topology machine = topology::of_this_machine();
  start_gate barrier;
  host_rig rig{machine, &test::run_threads, &test::release_nothing, &barrier};
  where.type = rows.front().type;
  rig.prepare(rows.front(), where, std::vector<int>(where.lanes, pu), false);
  const auto changes = rig.count_owner_changes(trips);
  EXPECT_EQ(rig.take(1, trips).failure, "") << "the samples behind it are as before";
  rig.finish();
  return changes;
}

const point two_lanes{.placement = placement::shared, .lanes = 2};
const point two_lanes_hold{.lanes = 2, .section_ns = 10, .think_ns = 10};

TEST(owner_changes, are_counted_at_every_acquisition) {
  constexpr double all = 2 * acquisitions;
  EXPECT_DOUBLE_EQ(counted<add_by_turns<1>>(two_lanes).value(), (all - 1) / all);
  EXPECT_DOUBLE_EQ(counted<add_by_turns<10>>(two_lanes).value(), (all / 10 - 1) / all);
  EXPECT_DOUBLE_EQ(counted<add_by_turns<acquisitions>>(two_lanes).value(), 1 / all);
}

TEST(owner_changes, are_counted_under_a_lock_that_is_held) {
  constexpr double all = 2 * acquisitions;
  EXPECT_DOUBLE_EQ(counted<held_by_turns<1>>(two_lanes_hold).value(), (all - 1) / all);
  EXPECT_DOUBLE_EQ(counted<held_by_turns<acquisitions>>(two_lanes_hold).value(), 1 / all);
}

TEST(owner_changes, are_those_of_each_lock_where_lanes_share_several) {
  const point neighbours{.placement = placement::strided, .stride = 1, .cells = 2, .lanes = 4};
  constexpr double all = 4 * acquisitions;
  EXPECT_DOUBLE_EQ(counted<add_by_turns<1>>(neighbours).value(), (all - 2) / all);
}

TEST(owner_changes, are_left_out_where_lanes_share_no_lock) {
  EXPECT_FALSE(counted<add_by_turns<1>>({.placement = placement::shared, .lanes = 1}).has_value());
  EXPECT_FALSE(counted<add_by_turns<1>>({.placement = placement::strided, .stride = 16, .lanes = 2})
                   .has_value());
  EXPECT_FALSE(counted<read_together>(two_lanes).has_value());
  EXPECT_FALSE(counted<ops::atomic_add>(two_lanes).has_value());
}

TEST(owner_changes, are_left_out_where_lanes_were_preempted_in_three_samples) {
  EXPECT_FALSE(counted<add_in_a_crowd>(two_lanes, -1).has_value());
  EXPECT_EQ(add_in_a_crowd::object::made, 3 + 1) << "one more for the sample behind them";
}

}  // namespace
}  // namespace syncmeter::owner_changes_test
