// The rig of one device whose cells lie in its own memory, in a peer's or in the host's.
#pragma once

#include <string>

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
  [[nodiscard]] std::byte* first_array() const override;

 private:
  std::byte* there_ = nullptr;  ///< the cells; null: in the device's own memory
  device_buffer on_peer_;
  pinned_buffer on_host_;
  std::string cells_on_;
};

}  // namespace syncmeter::cuda
