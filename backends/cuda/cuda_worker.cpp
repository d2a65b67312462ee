#include "backends/cuda/cuda_worker.hpp"

#include "backends/cuda/cuda_census.hpp"
#include "backends/cuda/nvml.hpp"

namespace syncmeter::cuda {

nlohmann::json cuda_worker_backend::declares(const measurable& row) const {
  return declared_instructions(row);
}

nlohmann::json cuda_worker_backend::runtime() const { return versions(); }

nlohmann::json cuda_worker_backend::device() const {
  return {{"architectures", architectures()}, {"devices", find_devices().devices}};
}

std::string cuda_worker_backend::problem() const { return find_devices().problem; }

// A handoff goes from warp to warp; everything else is done by every lane that is not switched off.
unsigned cuda_worker_backend::participants(const measurable& row, const point& where) const {
  const unsigned warps = warps_in(where.lanes);
  if (row.info.family == family::handoff) return warps * where.blocks;
  if (where.active != 0) return warps * where.active * where.blocks;
  return where.lanes * where.blocks;
}

double cuda_worker_backend::clock_tick_ns(const point& where) const {
  constexpr double cycle_ns = 1;   // at 1 GHz or more
  constexpr double event_ns = 32;  // the step of event times on recent GPUs
  return where.blocks == 1 ? cycle_ns : event_ns;
}

bool cuda_worker_backend::lost() const {
  return asked_device_ && is_sticky(cudaDeviceSynchronize());
}

bench& cuda_worker_backend::prepare(const measurable& row, const point& where,
                                    const lane_request& lanes) {
  asked_device_ = true;
  if (rig_ == nullptr || device_->index != lanes.device) {
    rig_.reset();
    device_ = &use_device(lanes.device);
    rig_ = std::make_unique<cuda_rig>(*device_);
  }
  rig_->prepare(row, where);
  return *rig_;
}

void cuda_worker_backend::describe_visit(nlohmann::json& visit) const {
  if (rig_ == nullptr) return;
  rig_->describe(visit);
  if (auto said = ask_nvml(device_->uuid); !said.empty()) visit["nvml"] = std::move(said);
}

}  // namespace syncmeter::cuda
