#include "driver/workers/worker_info.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "driver/text/parse_axes.hpp"

namespace syncmeter {

unsigned co_resident_blocks(const gpu_device& gpu, unsigned threads) {
  // Threads are handed out in whole warps.
  const unsigned warps = (std::max(threads, 1U) + gpu.warp_size - 1) / gpu.warp_size;
  const unsigned by_threads = gpu.max_threads_per_multiprocessor / (warps * gpu.warp_size);
  return gpu.multiprocessors *
         std::max(1U, std::min(gpu.max_blocks_per_multiprocessor, by_threads));
}

unsigned warps_of(const point& p, unsigned warp_size) {
  return (p.lanes + warp_size - 1) / warp_size * p.blocks;
}

const gpu_backend* gpus_of(const std::vector<worker_info>& workers, const std::string& backend) {
  for (const worker_info& worker : workers) {
    const auto found = worker.gpus.find(backend);
    if (found != worker.gpus.end()) return &found->second;
  }
  return nullptr;
}

const gpu_device& chosen_gpu(const gpu_backend& gpus, const std::string& backend, unsigned index) {
  std::vector<std::string> names;
  for (const gpu_device& gpu : gpus.devices) {
    if (gpu.index == index) return gpu;
    names.push_back(fmt::format("{} ({})", gpu.index, gpu.name));
  }
  throw usage_error(fmt::format("--device: backend '{}' has no device {}; available: {}", backend,
                                index, names.empty() ? "none" : join(names)));
}

std::string problem_of(const worker_info& worker, const std::string& backend) {
  if (!worker.problem.empty()) return worker.problem;
  const auto found = worker.backend_problems.find(backend);
  return found == worker.backend_problems.end() ? std::string{} : found->second;
}

unsigned gpus_taking_part(const point& what) {
  if (what.op.starts_with("multi_gpu_") || what.op == "gpu_handoff") return std::max(what.size, 1U);
  return what.op.starts_with("remote_") && what.home == home::second ? 2 : 1;
}

std::vector<std::string> left_out(const std::vector<worker_info>& workers) {
  std::vector<std::string> sentences;
  for (const worker_info& worker : workers)
    for (const auto& [backend, problem] : worker.backend_problems)
      sentences.push_back(fmt::format("backend '{}' is left out: {}", backend, problem));
  return sentences;
}

void worker_info::take_away(const std::string& backend) {
  std::erase(backends, backend);
  std::erase_if(capabilities, [&](const capability& row) { return row.backend == backend; });
  pooled.erase(backend);
  native_of.erase(backend);
  gpus.erase(backend);
  backend_problems.erase(backend);
}

std::string native_of(const std::vector<worker_info>& workers, const std::string& backend) {
  for (const worker_info& worker : workers) {
    const auto found = worker.native_of.find(backend);
    if (found != worker.native_of.end()) return found->second;
  }
  return {};
}

bool is_portable(const std::vector<worker_info>& workers, const std::string& backend) {
  return !native_of(workers, backend).empty();
}

}  // namespace syncmeter
