// The rig of the levels of synchronization: kernels timed on the device, with a board for barriers
// in software, and a check at the point's own launch.
#pragma once

#include "backends/cuda/rig/cuda_rig.hpp"

namespace syncmeter::cuda {

class levels_rig : public cuda_rig {
 public:
  using cuda_rig::cuda_rig;

  sample take(std::size_t index, std::uint32_t trips) override;
  /// Runs a litmus kernel on the grid of the point, clusters and all.
  [[nodiscard]] std::uint64_t run_litmus_here(const kernel_call& kernel);

 protected:
  void prepare_more(const measurable& what, const point& where, kernel_setup& setup) override;
  void queue_more_resets(const kernel_setup& setup, cudaStream_t stream) override;

 private:
  bool waits_in_software_ = false;
  std::size_t board_bytes_ = 0;
  device_buffer board_;
};

}  // namespace syncmeter::cuda
