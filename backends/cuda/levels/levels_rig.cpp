#include "backends/cuda/levels/levels_rig.hpp"

#include <fmt/format.h>

#include "backends/cuda/levels/levels_board.hpp"
#include "core/worker/worker.hpp"

namespace syncmeter::cuda {

void levels_rig::prepare_more(const measurable& what, const point& where, kernel_setup& setup) {
  const op_info& info = what.info;
  if (where.active != 0) throw point_refused("lanes are switched off by the size of their group");
  if (info.size_of.empty() != (where.size == 0))
    throw point_refused(info.size_of.empty() ? "has no size"
                                             : fmt::format("--size: {}", info.size_of));
  if (info.name.starts_with("coalesced_")) {
    if (where.size > warp_size || where.lanes % warp_size != 0) {
      throw point_refused(fmt::format("a coalesced group has 1 to {} lanes of each of a block's "
                                      "full warps",
                                      warp_size));
    }
    setup.active = where.size;
  }
  if (info.name.starts_with("tile_") && where.lanes % where.size != 0)
    throw point_refused(
        fmt::format("{} threads are not whole tiles of {}", where.lanes, where.size));
  if (info.launching != launching::plain && where.waves)
    throw point_refused("a barrier cannot wait for a wave of blocks that has not begun");
  if (info.launching == launching::cluster) {
    for (const std::size_t index : {2U, 3U})
      if (what.by_count.at(index) != nullptr) allow_clusters_of(where.size, what.code(index));
  }
  waits_in_software_ = info.name.starts_with("software_barrier_");
  board_bytes_ = 0;
  if (waits_in_software_) {
    if (where.blocks > board::most_blocks)
      throw point_refused(fmt::format("at most {} blocks have a place", board::most_blocks));
    board_bytes_ = board::bytes_for(where.blocks);
    setup.board = static_cast<std::byte*>(board_.fit(board_bytes_));
  }
}

void levels_rig::queue_more_resets(const kernel_setup&, cudaStream_t stream) {
  if (board_bytes_ > 0) SM_CUDA(cudaMemsetAsync(board_.get(), 0, board_bytes_, stream));
}

sample levels_rig::take(std::size_t index, std::uint32_t trips) {
  sample taken = cuda_rig::take(index, trips);
  if (waits_in_software_ && !taken.failure.empty())
    taken.failure = "the barrier hung: a block waited for 2 s and gave up";
  return taken;
}

std::uint64_t levels_rig::run_litmus_here(const kernel_call& kernel) {
  const launch_shape here = shape();
  allow_clusters_of(here.cluster, kernel.stub);
  return run_litmus(kernel, here);
}

}  // namespace syncmeter::cuda
