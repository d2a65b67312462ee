// Which ops a lane gets, how many rows they make, and that a lane without the words makes them
// unsupported.
#include "core/ops/all.hpp"
#include "tests/compile/toy_backend.hpp"

namespace toy {
namespace {

using int_lane = lane<std::int32_t>;

struct without_measured {
  static constexpr op_info info{.name = "without_measured"};
  SM_FN static void common(auto&) {}
};
struct without_common {
  static constexpr op_info info{.name = "without_common"};
  SM_FN static void measured(auto&) {}
};
struct inserted {
  static constexpr op_info info{.name = "inserted", .pairing = pairing::insert};
  SM_FN static void before(auto&) {}
  SM_FN static void measured(auto&) {}
  SM_FN static void after(auto&) {}
};
struct inserted_without_after {
  static constexpr op_info info{.name = "inserted_without_after", .pairing = pairing::insert};
  SM_FN static void common(auto&) {}
  SM_FN static void before(auto&) {}
  SM_FN static void measured(auto&) {}
};

static_assert(runs_on<good_op, int_lane> && runs_on<inserted, int_lane>);
static_assert(!runs_on<without_measured, int_lane> && !runs_on<without_common, int_lane>);
static_assert(!runs_on<inserted_without_after, int_lane>);
static_assert(runs_on<ops::atomic_add, int_lane> && !runs_on<ops::atomic_sub, int_lane>);
static_assert(!runs_on<ops::barrier, int_lane> && !runs_on<ops::fence, int_lane>);

// Rows: orders x placements, in that nesting, typed and untyped apart.
constexpr auto adds = bind_typed<backend, float>(op_list<ops::atomic_add, ops::barrier>{});
static_assert(adds.size() == atomic_orders.size() * both_places.size());
static_assert(adds[0].form.order == atomic_orders[0] &&
              adds[0].form.placement == placement::shared);
static_assert(adds[1].form.order == atomic_orders[0] &&
              adds[1].form.placement == placement::strided);
static_assert(adds[2].form.order == atomic_orders[1]);
static_assert(adds[0].type == value_type::float32 && adds[0].info.name == "atomic_add");
static_assert(adds[0].unsupported.empty());
static_assert(adds[0].by_count[0] == &backend::take<ops::atomic_add, 0, lane<float>>);
static_assert(adds[0].by_count[1] == &backend::take<ops::atomic_add, 1, lane<float>>);
static_assert(adds[0].by_count[2] == &backend::take<ops::atomic_add, 2, lane<float>>);
static_assert(adds[0].by_count[3] == &backend::take<ops::atomic_add, 4, lane<float>>);
static_assert(adds[0].built == 4);

// A lane may bear fewer steps than the op has, and never more.
struct short_lane : int_lane {
  template <class> static consteval unsigned most_steps() { return 8; }
};
struct long_lane : int_lane {
  template <class> static consteval unsigned most_steps() { return 64; }
};
static_assert(steps_in_trip<ops::atomic_add, short_lane>() == 8);
static_assert(steps_in_trip<ops::atomic_add, long_lane>() == ops::atomic_add::info.unroll);
static_assert(steps_in_trip<ops::atomic_add, int_lane>() == ops::atomic_add::info.unroll);

// A backend may leave additivity out.
struct two_counts : backend {
  template <class Op, class Lane> static consteval bool is_additive() { return false; }
};
constexpr auto twos = bind_typed<two_counts, float>(op_list<ops::atomic_add>{});
static_assert(twos[0].built == 2 && !twos[0].by_count[2]);

constexpr auto few =
    bind_untyped<backend>(op_list<ops::atomic_add, ops::barrier, without_measured, good_op>{});
static_assert(few.size() == 3);
static_assert(few[0].info.name == "barrier" && few[0].unsupported == "a toy has few words" &&
              few[0].built == 0 && !few[0].by_count[1]);
static_assert(few[1].info.name == "without_measured" && !few[1].unsupported.empty());
static_assert(few[2].unsupported.empty() && !few[2].type);
static_assert(few[2].by_count[1] == &backend::take<good_op, 1, int_lane>);

// Ops in one step on the sides 0, 1, 2, 4: `self` keeps its common op, `insert` repeats the whole
// step.
static_assert(ops_in_step(good_op::info, 0) == 1 && ops_in_step(good_op::info, 4) == 5);
static_assert(ops_in_step(inserted::info, 0) == 1 && ops_in_step(inserted::info, 1) == 1);
static_assert(ops_in_step(inserted::info, 4) == 4);
static_assert(ops_in_step(ops::atomic_write_two_lines::info, 2) == 6);
// And those of them that the baseline has not.
static_assert(measured_in_step(good_op::info, 0) == 0 && measured_in_step(inserted::info, 1) == 1);
static_assert(measured_in_step(ops::atomic_write_two_lines::info, 2) == 4);

// The shared ops bind to any backend, and each has a name of its own.
template <class... Ops> consteval bool names_differ(op_list<Ops...>) {
  constexpr std::array names{Ops::info.name...};
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (std::count(names.begin(), names.end(), names[i]) != 1) return false;
  }
  return true;
}
static_assert(names_differ(shared_ops{}));
static_assert(bind_untyped<backend>(shared_ops{}).size() > 0 &&
              bind_typed<backend, double>(shared_ops{}).size() > 0);

}  // namespace
}  // namespace toy
