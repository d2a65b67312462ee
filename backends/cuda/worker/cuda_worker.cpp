#include "backends/cuda/worker/cuda_worker.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "backends/cuda/lane/cuda_setup.hpp"
#include "backends/cuda/runtime/cuda_check.hpp"
#include "backends/cuda/runtime/nvml.hpp"
#include "backends/cuda/runtime/peer_devices.hpp"

namespace syncmeter::cuda {

cuda_worker_backend::cuda_worker_backend(std::string name, std::vector<row_group> groups)
    : name_{std::move(name)}, groups_{std::move(groups)} {
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    rows_.insert(rows_.end(), groups_[i].rows.begin(), groups_[i].rows.end());
    group_at_.resize(rows_.size(), i);
  }
  rigs_.resize(groups_.size());
}

std::size_t cuda_worker_backend::group_of(const measurable& row) const {
  return group_at_.at(static_cast<std::size_t>(&row - rows_.data()));
}

nlohmann::json cuda_worker_backend::declares(const measurable& row) const {
  return groups_[group_of(row)].declares(row);
}

nlohmann::json cuda_worker_backend::runtime() const { return versions(); }

nlohmann::json cuda_worker_backend::device() const {
  const std::vector<device_facts>& found = find_devices().devices;
  std::vector<std::string> uuids;
  for (const device_facts& d : found) uuids.push_back(d.uuid);
  auto devices = nlohmann::json(found);
  const auto busy = busy_percents(uuids);
  for (nlohmann::json& d : devices) {
    const auto percent = busy.find(d.at("uuid").get<std::string>());
    if (percent != busy.end()) d["busy_percent"] = percent->second;
  }
  return {
      {"architectures", architectures()}, {"devices", std::move(devices)}, {"links", find_links()}};
}

std::string cuda_worker_backend::problem() const { return find_devices().problem; }

// A launching host is one lane. A handoff involves warps. Any further op involves every lane not
// switched off.
unsigned cuda_worker_backend::participants(const measurable& row, const point& where) const {
  if (row.info.host_lane) return 1;
  // A token between devices, or between host and device, has one lane on each side.
  if (row.info.family == family::handoff &&
      (row.info.size_of == "devices" || row.info.size_of == "sides"))
    return std::max(where.size, 1U);
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

double cuda_worker_backend::set_up_ns(const measurable& row, const point& where) const {
  constexpr double a_device_ns = 0.5e9;  // a context, and its memory mapped by peers
  const unsigned devices = row.info.size_of == "devices" ? where.size
                           : where.home == home::second  ? 2
                                                         : 1;
  return devices < 2 ? 0 : devices * a_device_ns + row.info.set_up_ns;
}

bool cuda_worker_backend::lost() const {
  return asked_device_ && (is_sticky(cudaDeviceSynchronize()) || lost_a_peer_device());
}

bench& cuda_worker_backend::prepare(const measurable& row, const point& where,
                                    const lane_request& lanes) {
  asked_device_ = true;
  if (device_ == nullptr || device_->index != lanes.device) {
    rig_ = nullptr;
    for (auto& rig : rigs_) rig.reset();
    device_ = &use_device(lanes.device);
  }
  const std::size_t group = group_of(row);
  if (rigs_[group] == nullptr) rigs_[group] = groups_[group].make_rig(*device_);
  rig_ = rigs_[group].get();
  rig_->prepare(row, where, lanes.visit);
  return *rig_;
}

void cuda_worker_backend::finish() {
  if (rig_ != nullptr) rig_->finish();
}

void cuda_worker_backend::describe_visit(nlohmann::json& visit) const {
  if (rig_ == nullptr) return;
  rig_->describe(visit);
  if (auto answer = ask_nvml(device_->uuid); !answer.empty()) visit["nvml"] = std::move(answer);
}

}  // namespace syncmeter::cuda
