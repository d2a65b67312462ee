#include "backends/cuda/multi/remote_rig.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "backends/cuda/runtime/peer_devices.hpp"

namespace syncmeter::cuda {

void remote_rig::prepare_more(const measurable& what, const point& where, kernel_setup&) {
  there_ = nullptr;
  if (where.home == home::second) {
    const std::vector<int> both = devices_of_point(device().index, 2);
    enable_peer_access(both, what.info.family == family::atomic);
    const scoped_device peer{both[1]};
    there_ = static_cast<std::byte*>(on_peer_.fit(array_bytes()));
    cells_on_ = fmt::format("device {}", both[1]);
  } else if (where.home == home::other) {
    there_ = static_cast<std::byte*>(on_host_.fit(array_bytes()));
    cells_on_ = "host";
  } else {
    cells_on_ = fmt::format("device {}", device().index);
  }
}

std::byte* remote_rig::first_array() const {
  return there_ == nullptr ? cuda_rig::first_array() : there_;
}

void remote_rig::describe(nlohmann::json& visit) const {
  cuda_rig::describe(visit);
  if (!cells_on_.empty()) visit["cells_on"] = cells_on_;
  if (cells_on_ == "host") {
    int native = 0;
    if (cudaDeviceGetAttribute(&native, cudaDevAttrHostNativeAtomicSupported, device().index) ==
        cudaSuccess)
      visit["host_native_atomics"] = native != 0;
  }
}

}  // namespace syncmeter::cuda
