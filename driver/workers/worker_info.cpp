#include "driver/workers/worker_info.hpp"

namespace syncmeter {

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
