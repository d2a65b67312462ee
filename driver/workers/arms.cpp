#include "driver/workers/arms.hpp"

#include <utility>

namespace syncmeter {
namespace {

constexpr char before_arm = '@';

template <class Value>
std::map<std::string, Value> renamed(std::map<std::string, Value> by_backend,
                                     const std::string& arm) {
  std::map<std::string, Value> all;
  for (auto& [backend, value] : by_backend) all.emplace(in_arm(backend, arm), std::move(value));
  return all;
}

}  // namespace

std::string in_arm(const std::string& backend, const std::string& arm) {
  return backend + before_arm + arm;
}

std::string without_arm(const std::string& backend) {
  return backend.substr(0, backend.rfind(before_arm));
}

std::string arm_of(const std::string& backend) {
  const std::size_t at = backend.rfind(before_arm);
  return at == std::string::npos ? "" : backend.substr(at + 1);
}

void put_in_arm(worker_info& worker, const std::string& arm,
                const std::vector<std::string>& environment) {
  worker.name = in_arm(worker.name, arm);
  worker.environment = environment;
  for (std::string& backend : worker.backends) backend = in_arm(backend, arm);
  std::set<std::string> pooled;
  for (const std::string& backend : worker.pooled) pooled.insert(in_arm(backend, arm));
  worker.pooled = std::move(pooled);
  worker.native_of = renamed(std::move(worker.native_of), arm);
  for (auto& [backend, native] : worker.native_of) native = in_arm(native, arm);
  worker.gpus = renamed(std::move(worker.gpus), arm);
  worker.backend_problems = renamed(std::move(worker.backend_problems), arm);
  for (capability& entry : worker.capabilities) entry.backend = in_arm(entry.backend, arm);
}

}  // namespace syncmeter
