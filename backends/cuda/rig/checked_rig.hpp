// A rig of kernels whose lanes' results are checked on the device, each lane's, after every sample.
#pragma once

#include "backends/cuda/rig/cuda_rig.hpp"

namespace syncmeter::cuda {

class checked_rig : public cuda_rig {
 public:
  using cuda_rig::cuda_rig;
  sample take(std::size_t index, std::uint32_t trips) override;

 protected:
  /// What follows it must call it.
  void prepare_more(const measurable& what, const point& where, kernel_setup& setup) override;
  /// Called before each sample, outside the clock.
  virtual void queue_first(kernel_setup&, cudaStream_t) {}
  /// Queues the check of all lanes, after each lane did `ops` ops; `found` is all zero. In `held`
  /// goes what a wrong lane should have.
  virtual void queue_check(const kernel_setup& setup, std::uint64_t ops, own_outcome* found,
                           cudaStream_t stream) = 0;
  [[nodiscard]] unsigned lanes() const { return lanes_; }

 private:
  const measurable* what_ = nullptr;
  kernel_setup* setup_ = nullptr;  ///< the rig's own
  unsigned lanes_ = 0;
  device_buffer found_;
  pinned_buffer seen_;
};

}  // namespace syncmeter::cuda
