// A rig of kernels that checks each lane's result on the device after every sample.
#pragma once

#include <string>

#include <fmt/format.h>

#include "backends/cuda/rig/cuda_rig.hpp"

namespace syncmeter::cuda {

class checked_rig : public cuda_rig {
 public:
  using cuda_rig::cuda_rig;

 protected:
  sample measure(std::size_t index) override {
    queue_first();
    sample taken = cuda_rig::measure(index);
    if (!taken.failure.empty()) return taken;
    const cudaStream_t queue = stream_.get();
    auto* const found = static_cast<own_outcome*>(found_.fit(sizeof(own_outcome)));
    auto* const copy = static_cast<own_outcome*>(copy_.fit(sizeof(own_outcome)));
    SM_CUDA(cudaMemsetAsync(found, 0, sizeof *found, queue));
    queue_check(ops(index), found);
    SM_CUDA(cudaMemcpyAsync(copy, found, sizeof *copy, cudaMemcpyDeviceToHost, queue));
    SM_CUDA(cudaStreamSynchronize(queue));
    if (copy->wrong != 0) taken.failure = wrong(*copy, ops(index));
    return taken;
  }
  /// Every sample needs a check of its lanes.
  [[nodiscard]] bool can_wait_in_queue() const override { return false; }
  /// Queues work before each sample, outside the clock.
  virtual void queue_first() {}
  /// Queues the check of all lanes after `ops` ops per lane. `found` is all zero. The check writes
  /// a wrong lane's expected value to `held`.
  virtual void queue_check(std::uint64_t ops, own_outcome* found) = 0;
  /// Returns the message for a failed check after `ops` ops per lane.
  [[nodiscard]] virtual std::string wrong(const own_outcome& found, std::uint64_t ops) const {
    return fmt::format("oracle: {} of {} lanes are wrong, for example lane {}: it has "
                       "{} after {} ops, expected {}",
                       found.wrong, lanes(), found.at, found.lane.operand, ops, found.held);
  }
  [[nodiscard]] unsigned lanes() const { return where_.lanes * where_.blocks; }

 private:
  device_buffer found_;
  pinned_buffer copy_;
};

}  // namespace syncmeter::cuda
