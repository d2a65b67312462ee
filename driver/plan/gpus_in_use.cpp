#include "driver/plan/gpus_in_use.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace syncmeter {

std::map<std::string, std::string> gpus_in_use(const campaign_plan& plan,
                                               const std::vector<worker_info>& workers) {
  std::map<std::string, std::string> used;
  for (const planned_point& planned : plan.points) {
    const std::string& backend = planned.what.backend;
    const gpu_backend* gpus = planned.device ? gpus_of(workers, backend) : nullptr;
    if (gpus == nullptr || used.contains(backend)) continue;
    const gpu_device& gpu = chosen_gpu(*gpus, backend, *planned.device);
    used[backend] = gpu.uuid.empty() ? gpu.name : fmt::format("{} ({})", gpu.name, gpu.uuid);
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
    for (std::size_t i = 0; i < std::min<std::size_t>(here, gpus_taking_part(planned.what)); ++i) {
      const gpu_device& gpu = gpus->devices[(*planned.device + i) % here];
      if (gpu.busy_percent.value_or(0) <= idle_percent) continue;
      said.insert(fmt::format("GPU {} ({}) was busy {} % of the time just before this run: another "
                              "program shares it, which can change costs and bandwidth",
                              gpu.index, gpu.name, *gpu.busy_percent));
    }
  }
  return {said.begin(), said.end()};
}

}  // namespace syncmeter
