// GPU synchronization levels: parts of a warp, block clusters, the grid (after Zhang et al., "A
// Study of Synchronization Methods in Modern GPUs"). test - baseline == one more. Has the ops, the
// lanes within a warp, and the binding between ops and lanes.
#pragma once

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include <array>

#include "backends/cuda/lane/cuda_block_lane.cuh"
#include "backends/cuda/levels/levels.hpp"
#include "backends/cuda/rig/cuda_backend.cuh"
#include "core/op.hpp"

namespace syncmeter::cuda {

/// The result each lane of a team must find after one op, in the untimed check.
enum class expected_result : std::uint8_t {
  none,     ///< nothing is checked
  written,  ///< the value every lane wrote before
  next,     ///< the value of the next lane
  sum,      ///< the sum of all values
};

template <class L>
concept has_tile_words = requires(L& l) {
  l.tile_sync();
  l.tile_shuffle();
  l.tile_reduce();
};
template <class L>
concept has_coalesced_words = requires(L& l) {
  l.coalesced_sync();
  l.coalesced_shuffle();
  l.coalesced_reduce();
};
template <class L>
concept has_cluster_words = requires(L& l) {
  l.cluster_sync();
  l.cluster_arrive_wait();
  l.cluster_atomic_add();
};
template <class L>
concept has_grid_words = requires(L& l) {
  l.grid_sync();
  l.counter_barrier();
  l.sense_barrier();
  l.lockfree_barrier();
  l.tree_barrier();
};
template <class L> concept has_fadd_chain = requires(L& l) { l.fadd_chain(); };

namespace ops {

// Defines a self-paired op on a lane group and the result its check expects. FORMS: sizes compiled
// in, or none.
#define SM_LEVEL_OP(NAME, WORDS, CALL, EXPECTS, FORMS, ...)                                        \
  struct NAME {                                                                                    \
    static constexpr op_info info{.name = #NAME, .in_quick = false, __VA_ARGS__};                  \
    static constexpr expected_result expects = expected_result::EXPECTS;                           \
    static constexpr std::array forms = FORMS;                                                     \
    SM_FN static void common(WORDS auto& lane) { lane.CALL(); }                                    \
    SM_FN static void measured(WORDS auto& lane) { lane.CALL(); }                                  \
  };

inline constexpr std::array any_size{form{}};
inline constexpr std::array tile_sizes{form{.size = 32}, form{.size = 16}, form{.size = 8},
                                       form{.size = 4},  form{.size = 2},  form{.size = 1}};
/// A lane alone has nothing to add.
inline constexpr std::array sum_sizes{form{.size = 32}, form{.size = 16}, form{.size = 8},
                                      form{.size = 4}, form{.size = 2}};

SM_LEVEL_OP(tile_sync, has_tile_words, tile_sync, written, tile_sizes, .family = family::group,
            .litmus = litmus::barrier, .communicates = true,
            .note = "cooperative groups: sync() of a tile; converged lanes do not wait",
            .size_of = "lanes of a tile", .kind = static_cast<std::uint8_t>(level::tile))
SM_LEVEL_OP(tile_shuffle, has_tile_words, tile_shuffle, next, tile_sizes, .family = family::group,
            .communicates = true, .note = "cooperative groups: shfl() from the next lane of a tile",
            .size_of = "lanes of a tile", .kind = static_cast<std::uint8_t>(level::tile))
SM_LEVEL_OP(tile_reduce, has_tile_words, tile_reduce, sum, sum_sizes, .family = family::group,
            .communicates = true,
            .note = "cooperative groups: reduce() of a tile, a sum of 32-bit integers",
            .size_of = "lanes of a tile", .kind = static_cast<std::uint8_t>(level::tile))
SM_LEVEL_OP(tile_reduce_by_shuffles, has_tile_words, tile_reduce_by_shuffles, sum, sum_sizes,
            .family = family::group, .communicates = true,
            .note = "a sum of a tile by log2(size) shuffles, without the warp's reduce instruction",
            .size_of = "lanes of a tile", .kind = static_cast<std::uint8_t>(level::tile))

SM_LEVEL_OP(coalesced_sync, has_coalesced_words, coalesced_sync, written, any_size,
            .family = family::group, .litmus = litmus::barrier, .communicates = true,
            .note = "cooperative groups: sync() of a coalesced group; the other lanes of the warp "
                    "are on another path",
            .size_of = "lanes of a coalesced group",
            .kind = static_cast<std::uint8_t>(level::coalesced_group))
SM_LEVEL_OP(coalesced_shuffle, has_coalesced_words, coalesced_shuffle, next, any_size,
            .family = family::group, .communicates = true,
            .note = "cooperative groups: shfl() from the next lane of a coalesced group",
            .size_of = "lanes of a coalesced group",
            .kind = static_cast<std::uint8_t>(level::coalesced_group))
SM_LEVEL_OP(coalesced_reduce, has_coalesced_words, coalesced_reduce, sum, any_size,
            .family = family::group, .communicates = true,
            .note = "cooperative groups: reduce() of a coalesced group, a sum of 32-bit integers",
            .size_of = "lanes of a coalesced group",
            .kind = static_cast<std::uint8_t>(level::coalesced_group))

SM_LEVEL_OP(cluster_sync, has_cluster_words, cluster_sync, written, any_size,
            .family = family::barrier, .oracle = oracle::agreed, .litmus = litmus::barrier,
            .communicates = true, .note = "cooperative groups: sync() of a cluster of blocks",
            .launching = launching::cluster, .size_of = "blocks of a cluster")
SM_LEVEL_OP(
    cluster_arrive_wait, has_cluster_words, cluster_arrive_wait, written, any_size,
    .family = family::barrier, .oracle = oracle::agreed, .litmus = litmus::barrier,
    .communicates = true,
    .note = "a cluster barrier split into arrive and wait, with 16 dependent adds between them",
    .launching = launching::cluster, .size_of = "blocks of a cluster")
SM_LEVEL_OP(cluster_atomic_add, has_cluster_words, cluster_atomic_add, none, any_size,
            .family = family::group, .oracle = oracle::agreed, .communicates = true,
            .note = "atomicAdd on the shared memory of the cluster's first block, result unused",
            .launching = launching::cluster, .size_of = "blocks of a cluster")

// Barriers for all blocks. Their code is long: a trip of 32 would not fit the instruction cache.
SM_LEVEL_OP(grid_sync, has_grid_words, grid_sync, written, any_size, .family = family::barrier,
            .litmus = litmus::barrier, .unroll = 4, .communicates = true,
            .note = "cooperative groups: sync() of the grid", .launching = launching::cooperative)
SM_LEVEL_OP(software_barrier_counter, has_grid_words, counter_barrier, written, any_size,
            .family = family::barrier, .oracle = oracle::agreed, .litmus = litmus::barrier,
            .unroll = 4, .communicates = true,
            .note = "software grid barrier: one counter that every block increments and polls",
            .launching = launching::cooperative,
            .kind = static_cast<std::uint8_t>(level::software_barrier))
SM_LEVEL_OP(
    software_barrier_sense, has_grid_words, sense_barrier, written, any_size,
    .family = family::barrier, .oracle = oracle::agreed, .litmus = litmus::barrier, .unroll = 4,
    .communicates = true,
    .note = "software grid barrier: a counter that the last block resets, with sense reversal",
    .launching = launching::cooperative, .kind = static_cast<std::uint8_t>(level::software_barrier))
SM_LEVEL_OP(
    software_barrier_lockfree, has_grid_words, lockfree_barrier, written, any_size,
    .family = family::barrier, .oracle = oracle::agreed, .litmus = litmus::barrier, .unroll = 4,
    .communicates = true,
    .note = "software grid barrier: lock-free, block 0 gathers flags from arrays (Xiao and Feng)",
    .launching = launching::cooperative, .kind = static_cast<std::uint8_t>(level::software_barrier))

struct software_barrier_tree {
  static constexpr op_info info{
      .name = "software_barrier_tree",
      .in_quick = false,
      .family = family::barrier,
      .oracle = oracle::agreed,
      .litmus = litmus::barrier,
      .unroll = 4,
      .communicates = true,
      .note =
          "software grid barrier: a tree, one counter per group of blocks and one for the groups",
      .launching = launching::cooperative,
      .kind = static_cast<std::uint8_t>(level::software_barrier)};
  static constexpr expected_result expects = expected_result::written;
  static constexpr std::array forms = any_size;
  static constexpr bool without_additivity = true;  // 2 and 4 in a row are laid out differently
  SM_FN static void common(has_grid_words auto& lane) { lane.tree_barrier(); }
  SM_FN static void measured(has_grid_words auto& lane) { lane.tree_barrier(); }
};

struct fadd_chain {  // test - baseline == `size` dependent adds in a straight line
  static constexpr op_info info{.name = "fadd_chain",
                                .in_quick = false,
                                .family = family::control,
                                .unroll = 1,
                                .note = "dependent single-precision adds in straight-line code, to "
                                        "find the size of the instruction cache",
                                .size_of = "adds"};
  static constexpr expected_result expects = expected_result::none;
  static constexpr std::array forms{form{.size = 32},   form{.size = 64},   form{.size = 128},
                                    form{.size = 256},  form{.size = 512},  form{.size = 1024},
                                    form{.size = 2048}, form{.size = 4096}, form{.size = 8192},
                                    form{.size = 16384}};
  // On both sides these adds hide the loop's own branch.
  SM_FN static void common(has_fadd_chain auto& lane) { lane.template fadds<32>(); }
  SM_FN static void measured(has_fadd_chain auto& lane) { lane.fadd_chain(); }
};

}  // namespace ops

namespace cg = cooperative_groups;

/// The participants in one op: `size` threads of the grid, starting with `first`, and the place of
/// this thread among them.
struct team {
  unsigned first, size, place;
};

/// A lane with a value to add to and to pass on.
template <class T, class Form> class value_lane : public lane<T, Form> {
 public:
  SM_FN explicit value_lane(const kernel_setup& s)
      : lane<T, Form>{s}, value_{static_cast<unsigned>(s.ones[0]) + this->thread()} {}

  SM_FN void give(unsigned value) { value_ = value; }
  [[nodiscard]] SM_FN unsigned taken() const { return value_; }
  [[nodiscard]] SM_FN cuda_outcome outcome() const {
    cuda_outcome done = lane<T, Form>::outcome();
    done.sunk ^= value_;
    return done;
  }

 protected:
  unsigned value_;
};

/// Lanes for groups whose size the compiler knows (form::size): warp tiles and add chains.
template <class T, class Form> class tile_lane : public value_lane<T, Form> {
  static constexpr unsigned size = Form::value.size;
  using value_lane<T, Form>::value_;

 public:
  using value_lane<T, Form>::value_lane;

  SM_FN void tile_sync() const { tile().sync(); }
  SM_FN void tile_shuffle() {
    value_ = tile().shfl(value_, static_cast<int>(tile().thread_rank() + 1));
  }
  SM_FN void tile_reduce() { value_ = cg::reduce(tile(), value_, cg::plus<unsigned>()); }
  SM_FN void tile_reduce_by_shuffles() { add_from<size / 2>(); }

  SM_FN void fadd_chain() { fadds<size>(); }
  template <unsigned N> SM_FN void fadds() {
    if constexpr (N == 1) {
      this->add_float();
    } else {
      fadds<N / 2>();
      fadds<N - N / 2>();
    }
  }

  [[nodiscard]] SM_FN team members() const {
    const unsigned place = threadIdx.x % size;
    return {this->thread() - place, size, place};
  }
  SM_FN void meet() const { tile().sync(); }

 private:
  [[nodiscard]] SM_FN static auto tile() {
    return cg::tiled_partition<size>(cg::this_thread_block());
  }
  template <unsigned Distance> SM_FN void add_from() {
    if constexpr (Distance > 0) {
      value_ += tile().shfl_xor(value_, Distance);
      add_from<Distance / 2>();
    }
  }
};

/// Lanes for a coalesced group: the first kernel_setup::active lanes of each warp run the loop
/// without the rest.
template <class T, class Form> class coalesced_lane : public value_lane<T, Form> {
 public:
  SM_FN explicit coalesced_lane(const kernel_setup& s)
      : value_lane<T, Form>{s},
        group_{cg::binary_partition(cg::tiled_partition<warp_size>(cg::this_thread_block()),
                                    threadIdx.x % warp_size < s.active)},
        next_{(group_.thread_rank() + 1) % group_.size()} {}

  SM_FN void coalesced_sync() const { group_.sync(); }
  SM_FN void coalesced_shuffle() { value_ = group_.shfl(value_, static_cast<int>(next_)); }
  SM_FN void coalesced_reduce() { value_ = cg::reduce(group_, value_, cg::plus<unsigned>()); }

  [[nodiscard]] SM_FN team members() const {
    return {this->thread() - group_.thread_rank(), group_.size(), group_.thread_rank()};
  }
  SM_FN void meet() const { group_.sync(); }

 private:
  using value_lane<T, Form>::value_;
  cg::coalesced_group group_;
  unsigned next_;
};

// Checks a group's promise: its lanes see each other's writes, or a result has the expected value.

/// Returns a different value for each place and round.
SM_FN unsigned value_at(unsigned round, unsigned place) {
  return round * 2654435761U + place * 40503U;
}

/// Counts violations: after a barrier it reads near and far places of the team, if possible in
/// other blocks. Plain accesses leave it to the barrier to order them and to drop the previous
/// round from L1.
template <class Op> SM_FN unsigned long long count_wrong(auto& lane, unsigned* board) {
  const auto [first, size, place] = lane.members();
  unsigned* const values = board + first;
  unsigned long long wrong = 0;
  for (unsigned round = 1; round <= litmus_rounds; ++round) {
    const unsigned own = value_at(round, place);
    values[place] = own;
    if constexpr (Op::expects == expected_result::written) {
      Op::measured(lane);
      for (const unsigned far : {1U, lanes_in_block(), size / 2, size - 1}) {
        const unsigned other = (place + far) % size;
        if (values[other] != value_at(round, other)) ++wrong;
      }
      Op::measured(lane);
    } else {
      lane.give(own);
      Op::measured(lane);
      unsigned expected = value_at(round, (place + 1) % size);
      if constexpr (Op::expects == expected_result::sum) {
        expected = 0;
        for (unsigned i = 0; i < size; ++i) expected += value_at(round, i);
      }
      if (lane.taken() != expected) ++wrong;
      lane.meet();
    }
  }
  if constexpr (requires { lane.hung(); }) wrong += lane.hung() ? 1 : 0;
  return wrong;
}

template <class Op, class Lane>
__global__ void __launch_bounds__(largest_block, blocks_per_multiprocessor)
    level_litmus(const kernel_setup s, unsigned* board, unsigned long long* forbidden) {
  Lane lane{s};
  if (!Lane::lane_form.some_lanes || lane_in_block() % warp_size < s.active) {
    const unsigned long long wrong = count_wrong<Op>(lane, board);
    if (wrong > 0) atomicAdd(forbidden, wrong);
  }
  static_cast<void>(lane.outcome());  // the blocks of a cluster leave together
}

template <class Op, class Lane> std::uint64_t run_level_litmus(bench& rig) {
  return static_cast<levels_rig&>(rig).run_litmus_here(call_of(&level_litmus<Op, Lane>));
}

/// `SomeLanes`: lanes beyond kernel_setup::active stay away from the loop in each warp, for every
/// form.
template <template <class, class> class Lane, bool SomeLanes = false>
struct levels_backend : backend_of<Lane> {
  template <class T, form F>
  using lane =
      Lane<T, form_constant<F.order, F.placement, F.scope, F.flavour, F.space, SomeLanes, F.size>>;

  template <class Op, class L> static consteval litmus_check litmus_of() {
    if constexpr (Op::expects == expected_result::none) return nullptr;
    else return &run_level_litmus<Op, L>;
  }
};

}  // namespace syncmeter::cuda
