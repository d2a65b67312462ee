// The levels' rig, their rows, and the instructions expected for one op (see cuda_census.cpp).
#include "backends/cuda/levels/levels.hpp"

#include <bit>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "backends/cuda/rig/cuda_census.hpp"
#include "core/worker/worker.hpp"

namespace syncmeter::cuda {

void levels_rig::prepare_more() {
  const op_info& info = what_->info;
  const point& where = where_;
  if (where.active != 0)
    throw point_refused("--active is not supported here: --size says how many lanes take part");
  if (info.size_of.empty() != (where.size == 0))
    throw point_refused(info.size_of.empty()
                            ? fmt::format("--size {}: {} has no size", where.size, info.name)
                            : fmt::format("{} needs --size: {}", info.name, info.size_of));
  if (info.is(level::coalesced_group)) {
    if (where.size > warp_size || where.lanes % warp_size != 0) {
      throw point_refused(fmt::format("--size {} with --threads {}: a coalesced group has 1 to {} "
                                      "lanes of each warp, and a block must consist of whole warps",
                                      where.size, where.lanes, warp_size));
    }
    setup_.active = where.size;
  }
  if (info.is(level::tile) && where.lanes % where.size != 0)
    throw point_refused(fmt::format("--threads {}: must be a multiple of --size {} (whole tiles)",
                                    where.lanes, where.size));
  if (info.is(level::transaction) && device_.largest_cluster == 0)
    throw point_refused(fmt::format("transaction counts need compute capability 9.0; {} has {}",
                                    device_.name, device_.compute_capability));
  if (info.launching != launching::plain && where.waves)
    throw point_refused("--waves is not supported by a barrier between blocks: all blocks must be "
                        "resident at once");
  if (info.launching == launching::cluster) {
    for (const std::size_t index : {2U, 3U})
      if (index < what_->built) allow_clusters_of(where.size, what_->code(index));
  }
  waits_in_software_ = info.is(level::software_barrier);
  board_bytes_ = 0;
  if (waits_in_software_) {
    if (where.blocks > board::most_blocks)
      throw point_refused(fmt::format("--blocks {}: a software barrier supports at most {} blocks",
                                      where.blocks, board::most_blocks));
    board_bytes_ = board::bytes_for(where.blocks);
    setup_.board = static_cast<std::byte*>(board_.fit(board_bytes_));
  }
}

void levels_rig::queue_more_resets() {
  if (board_bytes_ > 0) SM_CUDA(cudaMemsetAsync(board_.get(), 0, board_bytes_, stream_.get()));
}

sample levels_rig::measure(std::size_t index) {
  sample taken = cuda_rig::measure(index);
  if (waits_in_software_ && !taken.failure.empty())
    taken.failure = "timeout: the barrier hung, a block waited 2 s in it";
  return taken;
}

std::uint64_t levels_rig::run_litmus_here(const kernel_call& kernel) {
  const launch_shape here = shape();
  allow_clusters_of(here.cluster, kernel.stub);
  return run_litmus(kernel, here);
}

namespace {

// Part of a warp has two code paths. Converged lanes need the instruction alone, and a sync
// compiles to nothing. Diverged lanes synchronize first. Before Hopper a compiler function does
// both for them.
sass_text of_part(std::string_view opcode, int times) {
  std::string before = fmt::format("{0} {1}, call:(inside) {1}", opcode, times);
  if (opcode.starts_with("REDUX")) before += fmt::format(", WARPSYNC {}", times);
  return {.hopper = fmt::format("{} {}, WARPSYNC.COLLECTIVE {}", opcode, 2 * times, times),
          .before = std::move(before)};
}

sass_text sync_of_part() {
  return {.hopper = "WARPSYNC.COLLECTIVE 1",
          .before = "BRA.DIV 1, MATCH.ANY 1, REDUX.OR 1, VOTEU.ANY 1, call:(inside) 1"};
}

sass_text tile(std::string_view op, unsigned size) {
  const bool whole = size == warp_size;
  const int steps = std::countr_zero(size);
  if (op == "tile_sync") return whole ? sass_text{"nothing"} : sync_of_part();
  if (op == "tile_shuffle") return whole ? sass_text{"SHFL.IDX 1"} : of_part("SHFL.IDX", 1);
  // The library uses the reduce instruction only for tiles with at least 16 lanes.
  if (op == "tile_reduce" && size >= 16)
    return whole ? sass_text{"REDUX.SUM 1"} : of_part("REDUX.SUM", 1);
  return whole ? sass_text{fmt::format("SHFL.BFLY {}", steps)} : of_part("SHFL.BFLY", steps);
}

// A lane searches for the n-th group member each time. The rest synchronizes the group.
constexpr std::string_view coalesced_search =
    "BRA.DIV 1, MATCH.ANY 1, REDUX.OR 1, VOTEU.ANY 1, branch 3";

// Older GPUs run the block's barrier on the block's own memory, because they launch no cluster.
constexpr std::string_view cluster_barrier =
    "UCGABAR_ARV 1, UCGABAR_WAIT 1, BAR.SYNC 1, MEMBAR.ALL.GPU 1, ERRBAR 1, CGAERRBAR 1, "
    "CCTL.IVALL 1, branch 2";

// After Hopper, each warp synchronization has two more branches to skip unnecessary work.
sass_text software_barrier(std::string_view words, int meets, int branches) {
  const std::string alike = fmt::format("{}, WARPSYNC {}", words, meets);
  return {.hopper = fmt::format("{}, branch {}", alike, branches),
          .behind = fmt::format("{}, branch {}", alike, branches + 2 * meets)};
}

// One lane of a block arrives behind a fence and polls. Each poll drops L1. The block waits before
// and after.
sass_text grid(std::string_view op) {
  if (op == "grid_sync") {
    const std::string alike =
        "ATOM.ADD 1, LD.STRONG.GPU 1, MEMBAR.ALL.GPU 1, ERRBAR 1, CGAERRBAR 1, CCTL.IVALL 1, "
        "SHFL.IDX 1, VOTEU.ANY 1, YIELD 1, branch 2, ";
    return {.hopper = alike + "BAR.SYNC 4, WARPSYNC.COLLECTIVE 2, BRA.DIV 1",
            .before = alike + "BAR.SYNC 2, BRA.DIV 2, call:(inside) 2"};
  }
  if (op == "software_barrier_counter") {
    return software_barrier("RED.ADD 1, LDG.STRONG.GPU 2, MEMBAR.ALL.GPU 1, ERRBAR 1, CGAERRBAR 1, "
                            "CCTL.IVALL 2, BAR.SYNC 2, YIELD 1",
                            1, 4);
  }
  if (op == "software_barrier_sense") {
    return software_barrier("ATOMG.ADD 1, STG.STRONG.SYS 1, STG.STRONG.GPU 1, LDG.STRONG.GPU 2, "
                            "MEMBAR.ALL.GPU 2, ERRBAR 2, CGAERRBAR 2, CCTL.IVALL 3, BAR.SYNC 2, "
                            "YIELD 1",
                            1, 5);
  }
  if (op == "software_barrier_lockfree") {
    return software_barrier("STG.STRONG.GPU 2, LDG.STRONG.GPU 4, MEMBAR.ALL.GPU 2, ERRBAR 2, "
                            "CGAERRBAR 2, CCTL.IVALL 4, BAR.SYNC 3, YIELD 3",
                            2, 12);
  }
  if (op == "software_barrier_tree") {
    return software_barrier("ATOMG.ADD 2, STG.STRONG.GPU 1, LDG.STRONG.GPU 2, MEMBAR.ALL.GPU 3, "
                            "ERRBAR 3, CGAERRBAR 3, CCTL.IVALL 4, BAR.SYNC 2, YIELD 1",
                            1, 5);
  }
  return {};
}

// Objects in a block's own memory: before Hopper an mbarrier consists of words there. A wait has
// two polls. PTX polls twice by instruction, the library once with a growing pause. A latch counts
// in 64 bits, but shared memory has no 64-bit add. One lane adds for its warp by compare-and-swap.
sass_text of_block(std::string_view op) {
  if (op == "mbarrier_sync" || op == "mbarrier_transaction") {
    return {.hopper = op == "mbarrier_sync" ? "SYNCS.ARRIVE 1, SYNCS.PHASECHK 2, branch 2"
                                            : "SYNCS.ARRIVE 3, SYNCS.PHASECHK 1, branch 1",
            .before = "ATOMS.ARRIVE 1, LDS 1, MEMBAR.ALL.CTA 1, branch 1"};
  }
  if (op == "block_barrier_arrive_wait") {
    return {.hopper = "FADD 16, SYNCS.ARRIVE 1, SYNCS.PHASECHK 2, NANOSLEEP 2, branch 5",
            .before = "FADD 16, ATOMS.ARRIVE 1, LDS 2, MEMBAR.ALL.CTA 1, NANOSLEEP 2, YIELD 1, "
                      "branch 5"};
  }
  // Finds its two barriers by addresses known only at run time. The compiler adds a path for
  // another memory space.
  if (op == "block_pipeline") {
    const std::string alike =
        "ARRIVES.LDGSTSBAR 1, LDGDEPBAR 1, DEPBAR 1, ATOM.ADD.SM 4, ATOMS.CAST.SPIN 4, QSPC 4, "
        "LD 4, ST 4, LD.STRONG.SM 2, NANOSLEEP 4, SHFL.IDX 8, VOTE.ANY 4, YIELD 2, ";
    return {.hopper =
                alike + "SYNCS.ARRIVE 3, SYNCS.PHASECHK 2, LDS 4, MEMBAR.ALL.CTA 2, branch 36",
            .before = alike + "ATOMS.ARRIVE 2, ATOMS.ADD 1, VOTE.ALL 1, LDS 6, MEMBAR.ALL.CTA 4, "
                              "branch 32"};
  }
  const std::string count = "STS 1, VOTEU.ANY 1, MEMBAR.ALL.CTA 1, ATOM.ADD.SM 1, QSPC 1, LDS 1, "
                            "ATOMS.CAST.SPIN 1, LD 1, ST 1, NANOSLEEP 2, imad 1, ";
  return {.hopper = count + "LD.STRONG.SM 22, YIELD 3, branch 29",
          .behind = count + "LD.STRONG.SM 19, YIELD 2, branch 26"};
}

sass_text sass(const measurable& row) {
  const std::string_view op = row.info.name;
  if (op.starts_with("block_") || op.starts_with("mbarrier_")) return of_block(op);
  if (op.starts_with("tile_")) return tile(op, row.form.size);
  if (op == "coalesced_sync") return sync_of_part();
  if (op == "coalesced_shuffle") {
    return {.hopper = fmt::format("SHFL.IDX 2, WARPSYNC.COLLECTIVE 1, {}", coalesced_search),
            .before = fmt::format("SHFL.IDX 1, call:(inside) 1, {}", coalesced_search)};
  }
  if (op == "coalesced_reduce") return of_part("REDUX.SUM", 1);
  if (op == "cluster_sync") return {.hopper = std::string(cluster_barrier), .before = "BAR.SYNC 1"};
  if (op == "cluster_arrive_wait")
    return {.hopper = fmt::format("FADD 16, {}", cluster_barrier), .before = "FADD 16, BAR.SYNC 1"};
  if (op == "cluster_atomic_add") return {.hopper = "ATOM.ADD 1", .before = "ATOMS.POPC.INC 1"};
  if (op == "fadd_chain") return {fmt::format("FADD {}", row.form.size)};
  return grid(op);
}

nlohmann::json declares(const measurable& row) { return declared_sass(sass(row)); }

}  // namespace

row_group levels_group() {
  std::vector<measurable> rows;
  for (const auto& more : {rows_tiles(), rows_coalesced(), rows_blocks(), rows_clusters(),
                           rows_grids(), rows_chains()})
    rows.insert(rows.end(), more.begin(), more.end());
  return {std::move(rows), &make_rig<levels_rig>, &declares};
}

}  // namespace syncmeter::cuda
