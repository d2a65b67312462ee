// One sample of the CPU rig: a lane that was disturbed spoils it, and cells that the loop itself
// does not look at are looked at behind it.
#include <optional>

#include <gmock/gmock.h>

#include "core/ops/all.hpp"
#include "tests/unit/host/thread_team.hpp"

namespace syncmeter::host_sample_test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class host_sample : public testing::Test {
 protected:
  sample take(const measurable& what, int pu = -1) {
    const point where{.backend = "test",
                      .op = std::string{what.info.name},
                      .type = what.type,
                      .placement = what.form.placement,
                      .stride = what.form.placement == placement::strided ? 16U : 0U};
    rig_.prepare(what, where, std::vector{pu}, false);
    sample taken = rig_.take(1, 50);
    rig_.finish();
    return taken;
  }

  // A sample whose only lane is told, in the middle of its loop, what befell it.
  sample take_disturbed(lane_body loop) {
    measurable what = add();
    what.by_count[1] = loop;
    return take(what, machine_.units()[0].os);
  }

  template <template <class, order> class Lane, class Op> static const measurable& row() {
    static constexpr auto rows = bind_typed<test::backend<Lane>, std::int32_t>(op_list<Op>{});
    return rows[0];
  }
  static const measurable& add() { return row<test::sound_lane, ops::plain_add>(); }

  topology machine_ = topology::of_this_machine();
  start_gate barrier_;
  host_rig rig_{machine_, &test::run_threads, &test::release_nothing, &barrier_};
};

// The loop of a right sample, and what happens to its lane before or after it.
template <void (*During)(lane_record&), void (*After)(lane_record&)>
void disturbed(bench& on, unsigned lane) {
  auto& rig = static_cast<host_rig&>(on);
  rig.enter(lane);
  During(rig.record(lane));
  const lane_setup setup = rig.setup(lane);
  *static_cast<std::int32_t*>(setup.cell) = static_cast<std::int32_t>(2 * 32 * rig.trips());
  rig.leave(lane, {});
  After(rig.record(lane));
}
void nothing(lane_record&) {}
void elsewhere_before(lane_record& r) { r.pu_before = -7; }
void elsewhere_after(lane_record& r) { r.pu_after = -7; }
void one_more_switch_since(lane_record& r) { --r.switches; }

TEST_F(host_sample, of_lanes_left_alone_is_kept) {
  std::optional<drop> dropped;
  for (int tries = 0; tries < 50; ++tries) {  // another process may take the PU
    const sample s = take_disturbed(&disturbed<&nothing, &nothing>);
    EXPECT_THAT(s.failure, IsEmpty());
    dropped = s.dropped;
    if (dropped == drop::none) break;
  }
  EXPECT_EQ(dropped, drop::none);
}

TEST_F(host_sample, of_a_lane_that_was_elsewhere_before_or_after_it_is_dropped) {
  EXPECT_EQ(take_disturbed(&disturbed<&elsewhere_before, &nothing>).dropped, drop::moved);
  EXPECT_EQ(take_disturbed(&disturbed<&nothing, &elsewhere_after>).dropped, drop::moved);
}

TEST_F(host_sample, of_a_lane_that_was_switched_out_during_it_is_dropped) {
  EXPECT_EQ(take_disturbed(&disturbed<&one_more_switch_since, &nothing>).dropped, drop::preempted);
}

// Right in the first array, wrong in the second.
template <class T, order O> class half_broken_lane : public test::sound_lane<T, O> {
 public:
  using test::sound_lane<T, O>::sound_lane;
  void atomic_write(T& x, T value) const {
    this->plain_write(x, static_cast<T>(value + wrong_in(x)));
  }
  void plain_write(T& x, T value) const {
    host_lane<T>::plain_write(x, static_cast<T>(value + wrong_in(x)));
  }
  void plain_add(T& x) const { this->plain_write(x, static_cast<T>(this->plain_read(x) + 1)); }

 private:
  T wrong_in(const T& x) const { return static_cast<T>(&x == &this->second_cell() ? 1 : 0); }
};

TEST_F(host_sample, fails_by_what_is_wrong_in_the_second_array_alone) {
  EXPECT_THAT(take(row<test::sound_lane, ops::atomic_write_two_lines>()).failure, IsEmpty());
  EXPECT_THAT(take(row<half_broken_lane, ops::atomic_write_two_lines>()).failure,
              HasSubstr("second array: oracle"));
  EXPECT_THAT(take(row<test::sound_lane, ops::fence_between_adds>()).failure, IsEmpty());
  EXPECT_THAT(take(row<half_broken_lane, ops::fence_between_adds>()).failure,
              HasSubstr("second array: oracle"));
}

struct {
  unsigned passed = 0, failed = 0, silent = 0;
} compares;

// Counts, and what of them no oracle would see: one whose cell is the same whether it passes or
// not.
template <class T, order O> class counting_lane : public test::sound_lane<T, O> {
 public:
  using test::sound_lane<T, O>::sound_lane;
  T atomic_compare_exchange(T& x, T expected, T desired) const {
    const T old = x;
    ++(old == expected ? compares.passed : compares.failed);
    if (desired == old) ++compares.silent;
    if (old == expected) x = desired;
    return old;
  }
};

TEST_F(host_sample, of_a_cas_holds_those_that_pass_or_those_that_fail_and_no_other) {
  compares = {};
  EXPECT_THAT(take(row<counting_lane, ops::atomic_cas_pass>()).failure, IsEmpty());
  EXPECT_EQ(compares.failed, 0U);
  EXPECT_EQ(compares.passed, 2U * 32 * 50);

  compares = {};
  EXPECT_THAT(take(row<counting_lane, ops::atomic_cas_fail>()).failure, IsEmpty());
  EXPECT_EQ(compares.passed, 0U);
  EXPECT_EQ(compares.failed, 2U * 32 * 50);
  EXPECT_EQ(compares.silent, 0U) << "one that passed would leave another value";
}

// As cas_fail, but for what it expects.
struct cas_fail_that_passes {
  static constexpr op_info info = ops::compare_info("cas_fail_that_passes");
  SM_FN static void common(has_atomic_compare_exchange auto& lane) {
    lane.tally_difference(lane.atomic_compare_exchange(lane.cell(), lane.initial(), lane.below()));
  }
  SM_FN static void measured(has_atomic_compare_exchange auto& lane) { common(lane); }
};

TEST_F(host_sample, fails_by_a_cas_that_passes_where_it_must_not) {
  EXPECT_THAT(take(row<counting_lane, cas_fail_that_passes>()).failure, HasSubstr("oracle"));
}

}  // namespace
}  // namespace syncmeter::host_sample_test
