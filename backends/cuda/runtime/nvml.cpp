#include "backends/cuda/runtime/nvml.hpp"

#include <nlohmann/json.hpp>

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace syncmeter::cuda {
namespace {

// The few functions used, with declarations from the library's documentation (NVML API Reference).
using handle = void*;
struct process_info {
  unsigned pid;
  unsigned long long memory;
  unsigned gpu_instance, compute_instance;
};

constexpr std::array<std::pair<unsigned long long, std::string_view>, 8> reason_names{{
    {0x2, "applications_clocks_setting"},
    {0x4, "sw_power_cap"},
    {0x8, "hw_slowdown"},
    {0x10, "sync_boost"},
    {0x20, "sw_thermal_slowdown"},
    {0x40, "hw_thermal_slowdown"},
    {0x80, "hw_power_brake_slowdown"},
    {0x100, "display_clock_setting"},
}};

// Returns null if the library is missing or unusable.
void* the_library() {
  static void* const library = [] {
    void* const found = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    const auto init =
        found == nullptr ? nullptr : reinterpret_cast<int (*)()>(dlsym(found, "nvmlInit_v2"));
    return init != nullptr && init() == 0 ? found : nullptr;
  }();
  return library;
}

// Calls the function `name`. Returns true if it exists and succeeds.
template <class... Arguments> bool ask(const char* name, Arguments... arguments) {
  void* const library = the_library();
  void* const function = library == nullptr ? nullptr : dlsym(library, name);
  return function != nullptr &&
         reinterpret_cast<int (*)(Arguments...)>(function)(arguments...) == 0;
}

// Returns null without the library, or if the library does not know the device.
handle device_with(const std::string& uuid) {
  handle device = nullptr;
  return ask("nvmlDeviceGetHandleByUUID", uuid.c_str(), &device) ? device : nullptr;
}

nlohmann::json ask_now(const std::string& uuid) {
  auto answer = nlohmann::json::object();
  const handle device = device_with(uuid);
  if (device == nullptr) return answer;

  unsigned long long reasons = 0;
  if (ask("nvmlDeviceGetCurrentClocksEventReasons", device, &reasons) ||
      ask("nvmlDeviceGetCurrentClocksThrottleReasons", device, &reasons)) {  // before 12.2
    answer["clock_reasons"] = nlohmann::json::array();
    for (const auto& [bit, text] : reason_names) {
      if ((reasons & bit) != 0) answer["clock_reasons"].push_back(text);
    }
  }
  unsigned value = 0;
  if (ask("nvmlDeviceGetTemperature", device, 0, &value)) answer["temperature_c"] = value;
  if (ask("nvmlDeviceGetPowerUsage", device, &value)) answer["power_w"] = value / 1000.0;
  std::vector<process_info> processes(64);
  auto count = static_cast<unsigned>(processes.size());
  if (ask("nvmlDeviceGetComputeRunningProcesses_v3", device, &count, processes.data())) {
    // In a container pids have another name space: one entry is this process, the rest count as
    // other.
    answer["other_processes"] = count == 0 ? 0 : count - 1;
  }
  return answer;
}

std::map<std::string, unsigned> ask_utilization(const std::vector<std::string>& uuids) {
  struct percents {
    unsigned kernels, memory;
  };
  std::map<std::string, unsigned> found;
  for (const std::string& uuid : uuids) {
    percents busy{};
    const handle device = device_with(uuid);
    if (device != nullptr && ask("nvmlDeviceGetUtilizationRates", device, &busy))
      found[uuid] = busy.kernels;
  }
  return found;
}

}  // namespace

std::map<std::string, unsigned> busy_percents(const std::vector<std::string>& uuids) {
  constexpr unsigned idle_percent = 5;  // the driver's own threshold
  auto found = ask_utilization(uuids);
  if (std::ranges::any_of(found, [](const auto& f) { return f.second > idle_percent; })) {
    std::this_thread::sleep_for(std::chrono::milliseconds{1100});
    found = ask_utilization(uuids);
  }
  return found;
}

unsigned active_nvlinks(const std::string& uuid) {
  constexpr unsigned most_links = 18;
  const handle device = device_with(uuid);
  unsigned active = 0;
  for (unsigned link = 0; device != nullptr && link < most_links; ++link) {
    unsigned is_active = 0;
    if (ask("nvmlDeviceGetNvLinkState", device, link, &is_active) && is_active == 1) ++active;
  }
  return active;
}

nlohmann::json ask_nvml(const std::string& uuid) {
  using clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds fresh{250};
  static std::string asked_for;
  static clock::time_point asked_at;
  static nlohmann::json answer;
  if (asked_for != uuid || clock::now() - asked_at > fresh) {
    answer = ask_now(uuid);
    asked_for = uuid;
    asked_at = clock::now();
  }
  return answer;
}

}  // namespace syncmeter::cuda
