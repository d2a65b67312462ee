#include "backends/cuda/levels/levels_rig.hpp"

#include <fmt/format.h>

#include "backends/cuda/levels/levels_board.hpp"
#include "backends/cuda/ops/level.hpp"
#include "core/worker/worker.hpp"

namespace syncmeter::cuda {

void levels_rig::prepare_more(const measurable& what, const point& where, kernel_setup& setup) {
  const op_info& info = what.info;
  if (where.active != 0)
    throw point_refused("--active is not supported here: --size says how many lanes take part");
  if (info.size_of.empty() != (where.size == 0))
    throw point_refused(info.size_of.empty()
                            ? fmt::format("--size {}: {} has no size", where.size, info.name)
                            : fmt::format("{} needs --size: {}", info.name, info.size_of));
  if (info.is(level::coalesced_group)) {
    if (where.size > warp_size || where.lanes % warp_size != 0) {
      throw point_refused(fmt::format("--size {} with --lanes {}: a coalesced group has 1 to {} "
                                      "lanes of each warp, and a block must consist of whole warps",
                                      where.size, where.lanes, warp_size));
    }
    setup.active = where.size;
  }
  if (info.is(level::tile) && where.lanes % where.size != 0)
    throw point_refused(fmt::format("--lanes {}: must be a multiple of --size {} (whole tiles)",
                                    where.lanes, where.size));
  if (info.launching != launching::plain && where.waves)
    throw point_refused("--waves is not supported by a barrier between blocks: all blocks must be "
                        "resident at once");
  if (info.launching == launching::cluster) {
    for (const std::size_t index : {2U, 3U})
      if (index < what.built) allow_clusters_of(where.size, what.code(index));
  }
  waits_in_software_ = info.is(level::software_barrier);
  board_bytes_ = 0;
  if (waits_in_software_) {
    if (where.blocks > board::most_blocks)
      throw point_refused(fmt::format("--blocks {}: a software barrier supports at most {} blocks",
                                      where.blocks, board::most_blocks));
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
    taken.failure = "timeout: the barrier hung, a block waited 2 s in it";
  return taken;
}

std::uint64_t levels_rig::run_litmus_here(const kernel_call& kernel) {
  const launch_shape here = shape();
  allow_clusters_of(here.cluster, kernel.stub);
  return run_litmus(kernel, here);
}

}  // namespace syncmeter::cuda
