// The levels at which a GPU synchronizes: parts of a warp, a cluster of blocks, the grid (after
// Zhang et al., "A Study of Synchronization Methods in Modern GPUs"). test - baseline == one more.
#pragma once

#include <array>

#include "backends/cuda/ops/level.hpp"
#include "backends/cuda/ops/words.hpp"
#include "core/op.hpp"

namespace syncmeter::cuda {

/// What the lanes of a team must find after one op of it, in its untimed check.
enum class expected_result : std::uint8_t {
  none,     ///< nothing is checked
  written,  ///< what every lane wrote before
  next,     ///< the result is the value of the next lane
  sum,      ///< the result is the sum of all values
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

// A word of a group of lanes, self-paired; what its check compares. FORMS: sizes that are compiled
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

// Barriers of all blocks. Their code is long: a trip of 32 would not fit the instruction cache.
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
  // Behind these adds the loop's own branch is hidden, on both sides.
  SM_FN static void common(has_fadd_chain auto& lane) { lane.template fadds<32>(); }
  SM_FN static void measured(has_fadd_chain auto& lane) { lane.fadd_chain(); }
};

}  // namespace ops
}  // namespace syncmeter::cuda
