#include "backends/cuda/multi/remote_rig.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "backends/cuda/lane/cuda_places.hpp"
#include "backends/cuda/runtime/peer_devices.hpp"

namespace syncmeter::cuda {

void remote_rig::prepare_more(const measurable& what, const point& where, kernel_setup& setup) {
  setup_ = &setup;
  here_ = setup.cells;
  there_ = nullptr;
  const bool own = where.placement == placement::strided && where.stride > 0;
  const std::size_t threads = std::size_t{where.lanes} * where.blocks;
  const std::size_t size = what.type ? size_of(*what.type) : 4;
  layout_ = {.type = what.type.value_or(value_type::int32),
             .oracle = what.info.oracle,
             .cells = own ? threads : 1,
             .pitch = own ? stride_bytes(where) : size,
             .threads = where.lanes,
             .group = own ? 1 : threads,
             .active = where.active == 0 ? warp_size : where.active};
  bytes_ = layout_.cells * layout_.pitch + roaming_bytes;
  if (where.home == home::second) {
    const std::vector<int> both = devices_of_point(device().index, 2);
    enable_peer_access(both, what.info.family == family::atomic);
    const scoped_device peer{both[1]};
    there_ = static_cast<std::byte*>(on_peer_.fit(bytes_));
    cells_on_ = fmt::format("device {}", both[1]);
  } else if (where.home == home::other) {
    there_ = static_cast<std::byte*>(on_host_.fit(bytes_));
    cells_on_ = "host";
  } else {
    cells_on_ = fmt::format("device {}", device().index);
  }
}

// The base places the cells of each launch in the device's own memory: here they move as far into
// the memory that is meant.
void remote_rig::queue_more_resets(const kernel_setup& setup, cudaStream_t stream) {
  if (there_ == nullptr) return;
  if (setup.cells >= here_ && setup.cells < here_ + bytes_)
    setup_->cells = there_ + (setup.cells - here_);
  reset_cells(layout_, setup_->cells, stream);
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
