// The objects of an op's own: where they lie, who is told that it shares one, when they live, and
// what their op's check says.
#include <cstdint>
#include <stdexcept>

#include <gmock/gmock.h>

#include "core/host/lane_memory.hpp"
#include "core/ops/primitive.hpp"
#include "core/worker/protocol.hpp"
#include "tests/unit/host/thread_team.hpp"

namespace syncmeter::cell_objects_test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

struct counted {
  explicit counted(sharers who) : lanes{who.lanes} {
    if (alive == throws_at) throw std::runtime_error("no more of them");
    ++alive;
  }
  ~counted() { --alive; }
  counted(const counted&) = delete;
  counted& operator=(const counted&) = delete;

  static inline int alive = 0, throws_at = -1;
  unsigned lanes;
  std::atomic_flag held;
  std::uint64_t updates = 0;
};

struct locked {  // x += 1 under a lock of one's own, which counts too
  using object = counted;
  static constexpr auto info = locked_add_info("locked");
  SM_FN static void common(auto& lane) {
    counted& mine = lane.object();
    while (mine.held.test_and_set(std::memory_order_acquire)) spin_pause();
    lane.plain_add(lane.cell());
    mine.updates += 1;
    mine.held.clear(std::memory_order_release);
  }
  SM_FN static void measured(auto& lane) { common(lane); }
  static std::string check(const counted& seen, const object_use& use) {
    if (seen.lanes != use.lanes) return "it was told of other lanes";
    return seen.updates == use.all_ops() ? "" : "updates are missing";
  }
};

struct sloppy : locked {  // its cell is right, its object is not
  static constexpr auto info = locked_add_info("sloppy");
  SM_FN static void common(auto& lane) {
    locked::common(lane);
    lane.object().updates -= lane.number() == 1 ? 1 : 0;
  }
  SM_FN static void measured(auto& lane) { common(lane); }
};

struct open_barrier {  // holds nobody back
  using object = int;
  static constexpr auto info = barrier_info("open_barrier");
  SM_FN static void common(auto&) {}
  SM_FN static void measured(auto&) {}
};

struct absent {  // what it stands for is not done
  using object = int;
  static constexpr auto info = barrier_info("absent").with(&op_info::pairing, pairing::insert);
  SM_FN static void before(auto&) {}
  SM_FN static void measured(auto&) {}
  SM_FN static void after(auto&) {}
  static std::string check(const int&, const object_use& use) {
    return use.ops == 0 || use.measured != 0 ? "nothing was done" : "";
  }
};

class object_rig_test : public testing::Test {
 protected:
  void SetUp() override { counted::throws_at = -1; }

  template <class Op> static const std::vector<measurable>& rows() {
    using type = std::conditional_t<Op::info.typed, std::int32_t, void>;
    static const auto all =
        rows_of_part<test::backend<test::sound_lane>, type, table_part{}>(user_ops<Op>{});
    return all;
  }
  sample take(const measurable& what, unsigned stride = 0, std::size_t index = 1) {
    const point where{.backend = "test",
                      .op = std::string{what.info.name},
                      .type = what.type,
                      .placement = what.form.placement,
                      .stride = stride,
                      .lanes = 2};
    rig_.prepare(what, where, std::vector<int>(2, -1), false);
    return rig_.take(index, 100);
  }

  topology machine_ = topology::of_this_machine();
  start_gate barrier_;
  host_rig rig_{machine_, &test::run_threads, &test::release_nothing, &barrier_};
};

TEST(cell_objects, lie_as_cells_do_and_no_closer_than_their_size) {
  constexpr object_kind kind = object_kind_of<locked>();
  cell_objects objects;
  const auto distance = [&] {
    return static_cast<std::byte*>(objects.at(1)) - static_cast<std::byte*>(objects.at(0));
  };
  objects.make(kind, 3, {.lanes = 2}, {.pitch = 4096, .offset = 32});
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(objects.at(0)) % 4096, 32);
  EXPECT_EQ(distance(), 4096);
  EXPECT_EQ(static_cast<counted*>(objects.at(2))->lanes, 2);
  EXPECT_EQ(counted::alive, 3);
  EXPECT_EQ(objects.at(3), nullptr);
  objects.make(kind, 2, {}, {.pitch = 4, .offset = 0});
  EXPECT_EQ(distance(), sizeof(counted));
  EXPECT_EQ(counted::alive, 2) << "the others are gone";
  objects.clear();
  EXPECT_EQ(counted::alive, 0);
}

TEST(cell_objects, those_made_before_one_that_throws_are_ended) {
  counted::throws_at = 2;
  cell_objects objects;
  EXPECT_THROW(objects.make(object_kind_of<locked>(), 3, {}, {}), std::runtime_error);
  objects.clear();
  EXPECT_EQ(counted::alive, 0);
}

TEST_F(object_rig_test, one_for_all_lanes_or_one_for_each_for_as_long_as_a_sample) {
  const auto& both = rows<locked>();
  EXPECT_THAT(take(both[0]).failure, IsEmpty());
  EXPECT_EQ(counted::alive, 0);
  EXPECT_THAT(take(both[1], 16).failure, IsEmpty()) << "each has one sharer";
}

TEST_F(object_rig_test, its_own_check_fails_a_sample_that_the_oracle_passes) {
  EXPECT_THAT(take(rows<sloppy>()[0]).failure,
              HasSubstr("check of sloppy: object 0: updates are missing"));
  EXPECT_THAT(take(rows<sloppy>()[1], 16).failure, HasSubstr("object 1"));
}

TEST_F(object_rig_test, a_check_knows_the_baseline_from_the_test_loop) {
  const measurable& row = rows<absent>()[0];
  EXPECT_THAT(take(row, 0, 0).failure, IsEmpty());
  EXPECT_THAT(take(row).failure, HasSubstr("nothing was done"));
}

TEST_F(object_rig_test, a_barrier_of_ones_own_that_holds_nobody_fails_its_litmus) {
  const measurable& row = rows<open_barrier>()[0];
  const point where{.backend = "test", .op = "open_barrier", .lanes = 2};
  rig_.prepare(row, where, std::vector<int>(2, -1), false);
  EXPECT_GT(row.litmus(rig_), 0);
}

}  // namespace
}  // namespace syncmeter::cell_objects_test
