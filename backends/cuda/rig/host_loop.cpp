#include "backends/cuda/rig/host_loop.hpp"

#include <cuda_runtime_api.h>

#include <array>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "backends/cuda/runtime/cuda_check.hpp"
#include "core/host/host_worker.hpp"
#include "core/worker/worker.hpp"

namespace syncmeter::cuda {
namespace {

device_neighbours neighbours_of_device(int index) {
  std::array<char, 32> bus_id{};
  SM_CUDA(cudaDeviceGetPCIBusId(bus_id.data(), static_cast<int>(bus_id.size()), index));
  return neighbours_of(bus_id.data(), machine_of_this_process().allowed_pus());
}

// Returns the PUs near the device, or all PUs if all are equally near.
std::vector<int> usual_pus(const device_neighbours& device) {
  return device.problem.empty() ? device.near : machine_of_this_process().allowed_pus();
}

}  // namespace

void host_loop_rig::prepare_point() {
  pus_.clear();
  is_settled_ = false;
  if (!neighbours_) neighbours_ = neighbours_of_device(device_.index);
  try {
    pus_ = where_.home == home::none ? usual_pus(*neighbours_) : pus_for(where_.home, *neighbours_);
  } catch (const std::invalid_argument& none) {
    throw point_refused(none.what());
  }
}

// Binds the thread only now: threads started by a library during preparation would inherit its one
// PU.
sample host_loop_rig::measure(std::size_t index) {
  if (!is_settled_) thread_.settle(pus_);
  is_settled_ = true;
  const lane_body body = what_->by_count.at(index);
  begin_sample();
  thread_.look_before();
  const auto start = now_ns();
  body(*this, 0);
  wait();
  const auto stop = now_ns();
  sample taken;
  thread_.look_after(taken);
  taken.span_ns = counted_ns(static_cast<double>(stop - start), ops(index));
  taken.failure = verdict(ops(index));
  return taken;
}

void host_loop_rig::describe(nlohmann::json& visit) const {
  gpu_rig::describe(visit);
  if (is_settled_) thread_.describe(visit);
  if (where_.home == home::none || pus_.empty()) return;
  visit["launching_thread"] = {{"pus", pus_}};
  if (neighbours_->numa_node >= 0)
    visit["launching_thread"]["device_numa_node"] = neighbours_->numa_node;
}

}  // namespace syncmeter::cuda
