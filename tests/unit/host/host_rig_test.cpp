// The CPU rig on a team of threads: samples are right when the words are, and every broken word is
// caught by its oracle or litmus.
#include <set>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "core/host/host_worker.hpp"
#include "core/ops/all.hpp"
#include "core/worker/worker.hpp"
#include "tests/unit/host/thread_team.hpp"

namespace syncmeter::host_rig_test {
namespace {

using test::backend;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr unsigned lanes = 2;

class rig_test : public testing::Test {
 protected:
  template <template <class, order> class Lane, class Op, class T = std::int32_t>
  const measurable& row() {
    static constexpr auto typed = bind_typed<backend<Lane>, T>(op_list<Op>{});
    static constexpr auto untyped = bind_untyped<backend<Lane>>(op_list<Op>{});
    if constexpr (Op::info.typed) return typed[0];
    else return untyped[0];
  }

  // Not bound: the tests must pass on one PU too.
  sample take(const measurable& what, std::size_t index, std::uint32_t trips,
              unsigned team = lanes) {
    prepare(what, team);
    return rig_.take(index, trips);
  }

  void prepare(const measurable& what, unsigned team = lanes) {
    const point where{.backend = "test",
                      .op = std::string{what.info.name},
                      .type = what.type,
                      .placement = what.form.placement,
                      .lanes = team};
    rig_.prepare(what, where, std::vector<int>(team, -1), false);
  }

  topology machine_ = topology::of_this_machine();
  start_gate barrier_;
  host_rig rig_{machine_, &test::run_threads, &test::release_nothing, &barrier_};
};

TEST_F(rig_test, counts_every_add_of_every_lane_on_every_side) {
  const auto& add = row<test::sound_lane, ops::atomic_add>();
  for (std::size_t index = 0; index < counts.size(); ++index) {
    EXPECT_THAT(take(add, index, 50).failure, IsEmpty()) << "count " << counts[index];
  }
}

class worker_of_threads final : public host_worker_backend {
 public:
  explicit worker_of_threads(start_gate& gate)
      : host_worker_backend{{}, &test::run_threads, &test::release_nothing, &gate} {}
  [[nodiscard]] std::string name() const override { return "test"; }
  [[nodiscard]] nlohmann::json runtime() const override { return {}; }
};

TEST_F(rig_test, a_refused_point_has_nothing_of_the_one_before) {
  worker_of_threads worker{barrier_};
  measurable what = row<test::sound_lane, ops::atomic_add>();
  const point where{.backend = "test", .op = "atomic_add", .type = what.type, .lanes = lanes};
  const auto described = [&] {
    auto visit = nlohmann::json::object();
    worker.describe_visit(visit);
    return visit;
  };
  EXPECT_THAT(described(), IsEmpty()) << "nothing was asked for";
  worker.prepare(what, where, {.pus = std::vector<int>(lanes, -1)});
  EXPECT_EQ(described().at("quiet_probe").at("floor_ns").size(), lanes);
  what.info.reads_and_writes = true;
  EXPECT_THROW(worker.prepare(what, where, {.pus = {-1}}), point_refused);
  EXPECT_THAT(described(), IsEmpty());
}

TEST_F(rig_test, a_lost_add_fails_the_sample) {
  const auto s = take(row<test::broken_lane, ops::atomic_add>(), 1, 3000);
  EXPECT_THAT(s.failure, HasSubstr("oracle: variable 0 is"));
}

TEST_F(rig_test, cells_of_ones_own_begin_at_the_base_offset) {
  const auto& add = row<test::sound_lane, ops::plain_add>();
  point where{.backend = "test",
              .op = "plain_add",
              .type = add.type,
              .placement = placement::strided,
              .stride = 4,
              .base_offset = 32,
              .lanes = lanes};
  rig_.prepare(add, where, std::vector<int>(lanes, -1), false);
  const auto byte_of = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p) % 1024; };
  for (unsigned lane = 0; lane < lanes; ++lane) {
    EXPECT_EQ(byte_of(rig_.setup(lane).cell), 32 + lane * 16);
    EXPECT_EQ(byte_of(rig_.setup(lane).second_cell), 32 + lane * 16);
  }
  for (std::size_t index = 0; index < counts.size(); ++index)
    EXPECT_THAT(rig_.take(index, 50).failure, IsEmpty()) << "count " << counts[index];
  where.base_offset = 2;
  EXPECT_THAT([&] { rig_.prepare(add, where, std::vector<int>(lanes, -1), false); },
              testing::ThrowsMessage<point_refused>(
                  HasSubstr("--base-offset 2: must be a multiple of the variable size, 4 B")));
}

TEST_F(rig_test, neighbours_share_a_cell_and_what_guards_it) {
  const auto& add = row<test::sound_lane, ops::atomic_add>();
  constexpr unsigned team = 4;
  point where{.backend = "test",
              .op = "atomic_add",
              .type = add.type,
              .placement = placement::strided,
              .stride = 1024,
              .cells = 2,
              .lanes = team};
  rig_.prepare(add, where, std::vector<int>(team, -1), false);
  for (unsigned lane = 0; lane < team; ++lane) {
    const lane_setup seen = rig_.setup(lane);
    EXPECT_EQ(seen.cell_index, lane / 2);
    EXPECT_EQ(static_cast<std::byte*>(seen.cell) - static_cast<std::byte*>(rig_.setup(0).cell),
              4096 * (lane / 2));
  }
  for (std::size_t index = 0; index < counts.size(); ++index)
    EXPECT_THAT(rig_.take(index, 50).failure, IsEmpty()) << "count " << counts[index];
  for (const unsigned cells : {3U, 8U}) {
    where.cells = cells;
    EXPECT_THAT(
        [&] { rig_.prepare(add, where, std::vector<int>(team, -1), false); },
        testing::ThrowsMessage<point_refused>(HasSubstr("must divide the number of threads, 4")));
  }
}

// A request made by hand may say one thing and name other PUs.
TEST_F(rig_test, there_are_as_many_lanes_as_pus) {
  const auto& add = row<test::sound_lane, ops::plain_add>();
  const point where{.backend = "test",
                    .op = "plain_add",
                    .type = add.type,
                    .placement = placement::strided,
                    .stride = 16,
                    .lanes = 1};
  rig_.prepare(add, where, std::vector<int>(lanes, -1), false);
  EXPECT_NE(rig_.setup(0).cell, rig_.setup(1).cell);
  EXPECT_THAT(rig_.take(1, 50).failure, IsEmpty());
}

TEST_F(rig_test, a_lost_exchange_fails_the_sample) {
  EXPECT_THAT(take(row<test::sound_lane, ops::atomic_exchange, double>(), 2, 50).failure,
              IsEmpty());
  EXPECT_THAT((take(row<test::broken_lane, ops::atomic_exchange, double>(), 1, 3000).failure),
              HasSubstr("oracle"));
}

TEST_F(rig_test, a_value_nobody_wrote_fails_the_sample) {
  EXPECT_THAT((take(row<test::sound_lane, ops::atomic_write, float>(), 1, 50).failure), IsEmpty());
  const auto s = take(row<test::broken_lane, ops::atomic_write, float>(), 1, 50, 1);
  EXPECT_THAT(s.failure, HasSubstr("which no thread wrote"));
}

TEST_F(rig_test, a_token_goes_round_by_load_and_by_cas) {
  for (std::size_t index = 0; index < counts.size(); ++index) {
    EXPECT_THAT(take(row<test::sound_lane, ops::handoff>(), index, 3).failure, IsEmpty());
    EXPECT_THAT(take(row<test::sound_lane, ops::handoff_cas>(), index, 3).failure, IsEmpty());
  }
}

TEST_F(rig_test, a_token_that_is_not_taken_fails_the_sample) {
  EXPECT_THAT(take(row<test::broken_lane, ops::handoff>(), 1, 3).failure, IsEmpty());
  EXPECT_THAT(
      take(row<test::broken_lane, ops::handoff_cas>(), 1, 3).failure,
      HasSubstr("oracle: mailbox 1 has token 24 after 24 rotations, which its thread did not "
                "take"));
}

TEST_F(rig_test, mailboxes_of_a_ring_lie_elsewhere_in_each_round_and_those_of_the_probe_do_not) {
  const auto& op = row<test::sound_lane, ops::handoff>();
  point where{.backend = "test", .op = "handoff"};
  for (const unsigned team : {2U, 4U}) {
    where.lanes = team;
    rig_.prepare(op, where, std::vector<int>(team, -1), false);
    std::set<std::uint64_t*> seen;
    const auto* const probe = rig_.probe_mailbox(1);
    for (int round = 0; round < 64; ++round) {
      for (unsigned lane = 0; lane < team; ++lane) seen.insert(rig_.mailbox(lane));
      // More lanes than PUs wait for their turns: a few rounds of them are enough.
      if (team == 2 || round < 4) {
        EXPECT_THAT(rig_.take(1, 2).failure, IsEmpty());
      }
      EXPECT_EQ(rig_.probe_mailbox(1), probe);
      rig_.begin_round();
    }
    EXPECT_EQ(seen.size(), 64 * team) << "no two lanes and no two rounds on one line";
    EXPECT_EQ(*seen.rbegin() - *seen.begin(), (64 * team - 1) * 16) << "in words, two lines each";
  }
  const auto& other = row<test::sound_lane, ops::barrier>();
  where.op = "barrier";
  rig_.prepare(other, where, std::vector<int>(4, -1), false);
  const auto* const before = rig_.mailbox(1);
  rig_.begin_round();
  EXPECT_EQ(rig_.mailbox(1), before) << "of a ring alone";
}

TEST_F(rig_test, mailboxes_lie_on_new_pages_touched_from_their_home) {
  const auto& op = row<test::sound_lane, ops::handoff>();
  const int pu = machine_.units()[0].os;
  point where{.backend = "test", .op = "handoff", .lanes = 1};
  rig_.prepare(op, where, std::vector{pu}, false);
  EXPECT_EQ(rig_.homed(), nullptr);
  where.home = home::first;
  rig_.prepare(op, where, std::vector{pu}, false);
  ASSERT_NE(rig_.homed(), nullptr);
  EXPECT_EQ(rig_.homed()->pu(), pu);
  EXPECT_GE(rig_.homed()->numa_node().value_or(0), 0) << "or the system does not say";
  EXPECT_THAT(rig_.take(1, 3).failure, IsEmpty());
  rig_.prepare(row<test::sound_lane, ops::atomic_add>(), where, std::vector{pu}, false);
  EXPECT_EQ(rig_.homed(), nullptr) << "only ops with a token have mailboxes";
  where.home = home::second;
  EXPECT_THAT([&] { rig_.prepare(op, where, std::vector{pu}, false); },
              testing::ThrowsMessage<std::runtime_error>(HasSubstr("--home second")));
  rig_.finish();
}

TEST_F(rig_test, the_litmus_tells_a_barrier_from_none) {
  const auto& sound = row<test::sound_lane, ops::barrier>();
  prepare(sound);
  EXPECT_EQ(sound.litmus(rig_), 0U);
  const auto& broken = row<test::broken_lane, ops::barrier>();
  prepare(broken);
  EXPECT_GT(broken.litmus(rig_), 0U);
}

TEST_F(rig_test, a_sound_fence_passes_its_litmus) {
  const auto& fence = row<test::sound_lane, ops::fence>();
  prepare(fence);
  EXPECT_EQ(fence.litmus(rig_), 0U);
}

// A launch that runs on every lane of the team, and tells by its result whether it did.
struct launch {
  static constexpr op_info info{.name = "launch",
                                .family = family::launch,
                                .oracle = oracle::agreed,
                                .unroll = 1,
                                .host_lane = true};
  SM_FN static void common(auto& lane) { lane.launch(); }
  SM_FN static void measured(auto& lane) { lane.launch(); }
};

TEST_F(rig_test, lane_0_alone_runs_the_loop_of_a_host_op_outside_every_region) {
  const auto& op = row<test::launching_lane, launch>();
  for (std::size_t index = 0; index < counts.size(); ++index) {
    test::launches = {};
    const sample s = take(op, index, 7);
    EXPECT_THAT(s.failure, IsEmpty());
    EXPECT_EQ(test::launches.by_lane_0, 7U * (1U + static_cast<unsigned>(counts[index])));
    EXPECT_EQ(test::launches.by_others, 0U);
    EXPECT_EQ(test::launches.within_a_region, 0U);
    EXPECT_EQ(s.fairness, 1.0);
    EXPECT_GE(s.host_ns, s.span_ns);
  }
}

TEST_F(rig_test, the_idle_lanes_of_a_host_op_are_looked_at_round_every_sample) {
  const auto& op = row<test::launching_lane, launch>();
  prepare(op);
  for (unsigned lane = 0; lane < lanes; ++lane) {
    rig_.record(lane).quiet_before_ns = rig_.record(lane).quiet_after_ns = -1;
    rig_.record(lane).pu_before = rig_.record(lane).pu_after = -1;
  }
  (void)rig_.take(1, 3);
  for (unsigned lane = 0; lane < lanes; ++lane) {
    EXPECT_GT(rig_.record(lane).quiet_before_ns, 0);
    EXPECT_GT(rig_.record(lane).quiet_after_ns, 0);
    EXPECT_GE(rig_.record(lane).pu_before, 0);
    EXPECT_GE(rig_.record(lane).pu_after, 0);
  }
  rig_.lower_floors(std::vector{1e9, 1e-3});
  EXPECT_TRUE(rig_.take(1, 3).busy) << "a launch waits for the slowest of its lanes";
}

TEST_F(rig_test, a_wrong_result_of_a_host_op_fails_the_sample) {
  const auto& op = row<test::launching_lane, launch>();
  test::launches = {.wrong_after = 5};
  EXPECT_THAT(take(op, 1, 7).failure, HasSubstr("thread 0 got a wrong result"));
  test::launches = {};
}

TEST_F(rig_test, a_lane_without_the_word_is_unsupported_with_the_backends_reason) {
  const auto& critical = row<test::sound_lane, ops::critical_add>();
  EXPECT_EQ(critical.unsupported, "no such word");
  EXPECT_EQ(critical.built, 0U);
  EXPECT_EQ(critical.by_count[0], nullptr);
}

TEST_F(rig_test, a_floor_known_from_before_makes_a_slow_lane_busy) {
  const auto& add = row<test::sound_lane, ops::atomic_add>();
  prepare(add);
  rig_.lower_floors(std::vector{1e-3});
  const auto own = rig_.quiet_floor_ns();
  EXPECT_THAT(own, testing::Each(testing::Gt(1.0))) << "one value for two lanes says nothing";
  rig_.lower_floors(std::vector{1e-3, 1e9});
  EXPECT_EQ(rig_.quiet_floor_ns()[0], 1e-3);
  EXPECT_LE(rig_.quiet_floor_ns()[1], own[1]) << "a floor is never raised";
  EXPECT_TRUE(rig_.take(0, 10).busy);
}

TEST_F(rig_test, reports_which_pu_could_not_be_bound) {
  const auto& add = row<test::sound_lane, ops::atomic_add>();
  const point where{
      .backend = "test", .op = "atomic_add", .type = add.type, .placement = placement::shared};
  EXPECT_THAT([&] { rig_.prepare(add, where, std::vector<int>{100000}, false); },
              testing::ThrowsMessage<std::runtime_error>(HasSubstr("100000")));
}

}  // namespace
}  // namespace syncmeter::host_rig_test
