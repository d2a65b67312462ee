// One device's rig for cells in its own, a peer's or the host's memory.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "backends/cuda/multi/multi_rig.hpp"
#include "backends/cuda/rig/cuda_census.hpp"
#include "backends/cuda/rig/cuda_rig.hpp"

namespace syncmeter::cuda {
namespace {

/// point::home selects the memory. first (or none): the device itself, second: the next device,
/// other: the host's pinned memory.
class remote_rig : public cuda_rig {
 public:
  using cuda_rig::cuda_rig;

  /// Adds "cells_on" ("device 1", "host").
  void describe(nlohmann::json& visit) const override {
    cuda_rig::describe(visit);
    if (!cells_on_.empty()) visit["cells_on"] = cells_on_;
    if (cells_on_ != "host") return;
    int native = 0;
    if (cudaDeviceGetAttribute(&native, cudaDevAttrHostNativeAtomicSupported, device_.index) ==
        cudaSuccess)
      visit["host_native_atomics"] = native != 0;
  }

 private:
  void prepare_more() override {
    there_ = nullptr;
    cells_on_ = fmt::format("device {}", device_.index);
    if (where_.home == home::second) {
      const std::vector<int> both = devices_of_point(device_.index, 2);
      enable_peer_access(both, what_->info.family == family::atomic);
      const scoped_device peer{both[1]};
      there_ = static_cast<std::byte*>(on_peer_.fit(array_bytes()));
      cells_on_ = fmt::format("device {}", both[1]);
    } else if (where_.home == home::other) {
      there_ = static_cast<std::byte*>(on_host_.fit(array_bytes()));
      cells_on_ = "host";
    }
  }
  [[nodiscard]] std::byte* first_array() const override {
    return there_ == nullptr ? cuda_rig::first_array() : there_;
  }

  std::byte* there_ = nullptr;  ///< the cells, or null in the device's own memory
  device_buffer on_peer_;
  pinned_buffer on_host_;
  std::string cells_on_;
};

// Each row is an access from the single-device ops, in any memory.
nlohmann::json declared_access(const measurable& row) {
  using twin_of = std::pair<std::string_view, std::string_view>;
  constexpr std::array twins{twin_of{"remote_atomic_add_dependent", "atomic_add_dependent"},
                             twin_of{"remote_atomic_add", "atomic_add"},
                             twin_of{"remote_exchange", "atomic_exchange"},
                             twin_of{"remote_cas", "atomic_cas_pass"},
                             twin_of{"remote_load", "atomic_read"},
                             twin_of{"remote_store", "atomic_write"}};
  measurable twin = row;
  twin.info.name = std::ranges::find(twins, row.info.name, &twin_of::first)->second;
  twin.info.family = family::atomic;
  return declared_instructions(twin);
}

}  // namespace

row_group remote_group() { return {remote_rows(), &make_rig<remote_rig>, &declared_access}; }

}  // namespace syncmeter::cuda
