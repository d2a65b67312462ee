// The rig of one device whose cells lie in its own memory, in a peer's or in the host's.
#pragma once

#include "backends/cuda/rig/cuda_rig.hpp"

namespace syncmeter::cuda {

/// point::home says where: first (or none) is the device itself, second the next device, other the
/// host's pinned memory.
class remote_rig : public cuda_rig {
 public:
  using cuda_rig::cuda_rig;
  /// Adds "cells_on" ("device 1", "host").
  void describe(nlohmann::json& visit) const override;

 protected:
  void prepare_more(const measurable& what, const point& where, kernel_setup& setup) override;
  void queue_more_resets(const kernel_setup& setup, cudaStream_t stream) override;

 private:
  kernel_setup* setup_ = nullptr;
  cell_layout layout_;
  std::byte* here_ = nullptr;   ///< the cells in the device's own memory
  std::byte* there_ = nullptr;  ///< those that are used; null: they are the same
  std::size_t bytes_ = 0;
  device_buffer on_peer_;
  pinned_buffer on_host_;
  std::string cells_on_;
};

}  // namespace syncmeter::cuda
