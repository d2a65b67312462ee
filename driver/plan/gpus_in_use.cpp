#include "driver/plan/gpus_in_use.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "driver/text/parse_axes.hpp"

namespace syncmeter {

std::map<std::string, std::string> gpus_in_use(const campaign_plan& plan,
                                               const std::vector<worker_info>& workers) {
  std::map<std::string, std::set<unsigned>> indices;
  for (const planned_point& planned : plan.points) {
    const std::string& backend = planned.what.backend;
    const gpu_backend* gpus = planned.device ? gpus_of(workers, backend) : nullptr;
    if (gpus == nullptr) continue;
    auto& of_backend = indices[backend];
    of_backend.insert(*planned.device);
    of_backend.insert(planned.devices.begin(), planned.devices.end());
  }
  std::map<std::string, std::string> used;
  for (const auto& [backend, of_backend] : indices) {
    std::string name;
    std::vector<std::string> uuids;
    for (const unsigned index : of_backend) {
      const gpu_device& gpu = chosen_gpu(*gpus_of(workers, backend), backend, index);
      name = gpu.name;
      if (!gpu.uuid.empty()) uuids.push_back(gpu.uuid);
    }
    if (of_backend.size() > 1) name = fmt::format("{} x {}", of_backend.size(), name);
    used[backend] = uuids.empty() ? name : fmt::format("{} ({})", name, join(uuids));
  }
  return used;
}

std::vector<std::string> busy_gpus(const campaign_plan& plan,
                                   const std::vector<worker_info>& workers) {
  constexpr unsigned idle_percent = 5;
  std::set<std::string> said;  // once, whichever points and backends use it
  for (const planned_point& planned : plan.points) {
    const gpu_backend* gpus = planned.device ? gpus_of(workers, planned.what.backend) : nullptr;
    const std::size_t here = gpus == nullptr ? 0 : gpus->devices.size();
    std::vector<std::size_t> used{planned.devices.begin(), planned.devices.end()};
    if (planned.devices.empty()) {
      for (std::size_t i = 0; i < std::min<std::size_t>(here, gpus_taking_part(planned.what)); ++i)
        used.push_back((*planned.device + i) % here);
    }
    for (const std::size_t at : used) {
      const gpu_device& gpu = gpus->devices[at];
      if (gpu.busy_percent.value_or(0) <= idle_percent) continue;
      said.insert(fmt::format("GPU {} ({}) was busy {} % of the time just before this run: another "
                              "program shares it, which can change costs and bandwidth",
                              gpu.index, gpu.name, *gpu.busy_percent));
    }
  }
  return {said.begin(), said.end()};
}

}  // namespace syncmeter
