// Kokkos' own ops, after the shared ops in every table. Each op is one word of a lane, which checks
// its result: test - baseline == one more.
#pragma once

#include "core/measurable.hpp"
#include "core/op.hpp"
#include "core/ops/host.hpp"

namespace syncmeter::kokkos {

// Team collectives: all members wait for each other and for a value.
template <class L>
concept has_team_words = requires(L& l) {
  l.team_broadcast();
  l.team_reduce();
};

// Host words, outside any parallel region.
template <class L>
concept has_host_words = requires(L& l) {
  l.host_fence();
  l.launch_for();
  l.launch_team();
  l.launch_reduce();
  l.launch_mdrange();
  l.launch_mdrange_reduce();
  l.launch_team_reduce();
};

// Contributions to the sum of a ScatterView.
template <class L> concept has_scatter_add = requires(L& l) { l.scatter_add(l.one()); };
template <class L>
concept has_scatter_add_atomic = requires(L& l) { l.scatter_add_atomic(l.one()); };

namespace ops {

// Defines an op. Arguments after CALL are members of the op.
#define SM_KOKKOS_OP(NAME, INFO, WORDS, CALL, ...)                                                 \
  struct NAME {                                                                                    \
    static constexpr op_info info = INFO;                                                          \
    __VA_ARGS__                                                                                    \
    SM_FN static void common(WORDS auto& lane) { lane.CALL; }                                      \
    SM_FN static void measured(WORDS auto& lane) { lane.CALL; }                                    \
  };

// Each op uses a new value, because an old result would pass the check otherwise.
consteval op_info team_info(std::string_view name, std::string_view note) {
  return {.name = name,
          .family = family::group,
          .oracle = oracle::agreed,
          .communicates = true,
          .note = note};
}
SM_KOKKOS_OP(team_broadcast,
             team_info("team_broadcast",
                       "team_broadcast of 32 bits from rank 0 to one team of all threads"),
             has_team_words, team_broadcast())
SM_KOKKOS_OP(team_reduce,
             team_info("team_reduce", "team_reduce, a sum of 32 bits over one team of all threads"),
             has_team_words, team_reduce())

// Host cost to start work and to wait. Lane 0 or a GPU's host runs the loop, and the point's lanes
// are the started threads. Launches follow directly, so only threads that sleep at once are asleep.
consteval op_info launch_info(std::string_view name, std::string_view note) {
  return {.name = name,
          .family = family::launch,
          .unroll = 1,
          .communicates = true,
          .host_lane = true,
          .note = note};
}
consteval op_info fence_info() {
  op_info fence = launch_info("kokkos_fence", "Kokkos::fence() with no kernel outstanding");
  fence.communicates = false;
  return fence;
}
consteval op_info launch_team_info(std::string_view name, std::string_view note) {
  op_info team = launch_info(name, note);
  team.starts_team = true;
  return team;
}
// Each sum differs from the previous sum.
consteval op_info reducing(op_info reduces) {
  reduces.oracle = oracle::agreed;
  reduces.unroll = 4;  // a single step keeps more in registers than several steps
  return reduces;
}
SM_KOKKOS_OP(kokkos_fence, fence_info(), has_host_words, host_fence())
SM_KOKKOS_OP(launch_for,
             launch_info("launch_for",
                         "an empty parallel_for, one index per thread (on a GPU for each thread of "
                         "each block, in blocks of Kokkos' choice), then Kokkos::fence()"),
             has_host_words, launch_for())
SM_KOKKOS_OP(
    launch_team,
    launch_team_info(
        "launch_team",
        "an empty parallel_for over one team of all threads (on a GPU one for each block), "
        "then Kokkos::fence()"),
    has_host_words, launch_team())
SM_KOKKOS_OP(
    launch_reduce,
    reducing(launch_info(
        "launch_reduce",
        "a parallel_reduce of one int32 per thread (on a GPU as launch_for), waiting for the sum")),
    has_host_words, launch_reduce())
SM_KOKKOS_OP(launch_mdrange,
             launch_info("launch_mdrange",
                         "an empty parallel_for over an MDRange of two dimensions, one tile per "
                         "thread (on a GPU per block), then Kokkos::fence()")
                 .with(&op_info::in_quick, false),
             has_host_words, launch_mdrange())
SM_KOKKOS_OP(launch_mdrange_reduce,
             reducing(launch_info("launch_mdrange_reduce",
                                  "a parallel_reduce over such an MDRange, one int32 per thread, "
                                  "waiting for the sum"))
                 .with(&op_info::in_quick, false),
             has_host_words, launch_mdrange_reduce())
SM_KOKKOS_OP(
    launch_team_reduce,
    reducing(launch_team_info(
        "launch_team_reduce",
        "a parallel_reduce over one team of all threads (on a GPU one for each block), one int32 "
        "per thread, waiting for the sum")),
    has_host_words, launch_team_reduce())

// Contributions of all lanes to one sum, for comparison with atomic_add, without the final
// gathering of copies. The sum is not a cell: a hook checks the sum (kokkos_table.cpp).
consteval op_info scatter_info(std::string_view name, std::string_view note) {
  return {.name = name,
          .family = family::reduction,
          .typed = true,
          .places = places::shared,
          .note = note};
}
SM_KOKKOS_OP(scatter_add,
             scatter_info("scatter_add", "x += 1 by a ScatterView with the space's default "
                                         "strategy; without contribute()"),
             has_scatter_add, scatter_add(lane.one()),
             static constexpr bool scatters_atomically = false;)
SM_KOKKOS_OP(scatter_add_atomic,
             scatter_info("scatter_add_atomic", "x += 1 by a ScatterView that adds atomically"),
             has_scatter_add_atomic, scatter_add_atomic(lane.one()),
             static constexpr bool scatters_atomically = true;)
#undef SM_KOKKOS_OP

}  // namespace ops

using launch_ops =
    op_list<ops::kokkos_fence, ops::launch_for, ops::launch_team, ops::launch_reduce,
            ops::launch_mdrange, ops::launch_mdrange_reduce, ops::launch_team_reduce>;

using own_ops = decltype(joined(
    joined(op_list<ops::team_broadcast, ops::team_reduce>{}, launch_ops{}),
    op_list<ops::scatter_add, ops::scatter_add_atomic, syncmeter::ops::reduce_max>{}));

}  // namespace syncmeter::kokkos
