#include "driver/plan/gpus_in_use.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "driver/text/parse_axes.hpp"

namespace syncmeter {
namespace {

// What a cost depends on.
auto kind_of(const gpu_device& gpu) {
  return std::tie(gpu.name, gpu.compute_capability, gpu.multiprocessors, gpu.l2_bytes);
}

std::vector<unsigned> equal_gpus(const gpu_backend& gpus, const std::string& backend,
                                 const run_options& options) {
  std::vector<unsigned> indices = options.devices;
  if (indices.empty()) {
    for (const gpu_device& gpu : gpus.devices) indices.push_back(gpu.index);
  }
  const gpu_device& first = chosen_gpu(gpus, backend, indices.front());
  for (const unsigned index : indices) {
    const gpu_device& other = chosen_gpu(gpus, backend, index);
    if (kind_of(other) == kind_of(first)) continue;
    throw usage_error(fmt::format("--device: only equal GPUs can share points, and {} ({}) is not "
                                  "of the same kind as {} ({})",
                                  other.index, other.name, first.index, first.name));
  }
  return indices;
}

bool is_of_one_gpu(const planned_point& point, const std::vector<offered_op>& ops) {
  const auto op = std::ranges::find_if(ops, [&](const offered_op& each) {
    return each.backend == point.what.backend && each.name == point.what.op;
  });
  const bool launched = op != ops.end() && op->rows.front()->family == "launch";
  return !launched && gpus_taking_part(point.what) == 1;
}

}  // namespace

unsigned device_of(const planned_point& point, unsigned visit) {
  return point.devices.empty() ? point.device.value()
                               : point.devices[(visit - 1) % point.devices.size()];
}

void share_among_gpus(campaign_plan& plan, const run_options& options,
                      const std::vector<offered_op>& ops, const std::vector<worker_info>& workers) {
  if (options.devices.size() == 1) return;
  std::map<std::string, std::vector<unsigned>> turns;  // of each backend
  for (planned_point& point : plan.points) {
    const std::string& backend = point.what.backend;
    if (!point.device || options.interleave_backends || !is_of_one_gpu(point, ops)) continue;
    const auto [next, is_new] = turns.try_emplace(backend);
    if (is_new) next->second = equal_gpus(*gpus_of(workers, backend), backend, options);
    if (next->second.size() < 2) continue;
    point.devices = next->second;
    std::rotate(next->second.begin(), next->second.begin() + 1, next->second.end());
  }
}

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
  std::set<std::string> sentences;  // once, whichever points and backends use it
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
      sentences.insert(
          fmt::format("GPU {} ({}) was busy {} % of the time just before this run: another "
                      "program shares it, which can change costs and bandwidth",
                      gpu.index, gpu.name, *gpu.busy_percent));
    }
  }
  return {sentences.begin(), sentences.end()};
}

}  // namespace syncmeter
