#include "backends/cuda/rig/checked_rig.hpp"

#include <fmt/format.h>

namespace syncmeter::cuda {

void checked_rig::prepare_more(const measurable& what, const point& where, kernel_setup& setup) {
  what_ = &what;
  setup_ = &setup;
  lanes_ = where.lanes * where.blocks;
}

sample checked_rig::take(std::size_t index, std::uint32_t trips) {
  const cudaStream_t stream = shape().stream;
  queue_first(*setup_, stream);
  sample taken = cuda_rig::take(index, trips);
  if (!taken.failure.empty()) return taken;
  const std::uint64_t ops =
      std::uint64_t{trips} * what_->info.unroll * ops_in_step(what_->info, counts.at(index));
  auto* const found = static_cast<own_outcome*>(found_.fit(sizeof(own_outcome)));
  auto* const seen = static_cast<own_outcome*>(seen_.fit(sizeof(own_outcome)));
  SM_CUDA(cudaMemsetAsync(found, 0, sizeof *found, stream));
  queue_check(*setup_, ops, found, stream);
  SM_CUDA(cudaMemcpyAsync(seen, found, sizeof *seen, cudaMemcpyDeviceToHost, stream));
  SM_CUDA(cudaStreamSynchronize(stream));
  if (seen->wrong != 0) {
    taken.failure = fmt::format("oracle: {} of {} lanes are wrong, for example lane {}: it has {} "
                                "after {} ops, expected {}",
                                seen->wrong, lanes_, seen->at, seen->lane.operand, ops, seen->held);
  }
  return taken;
}

}  // namespace syncmeter::cuda
