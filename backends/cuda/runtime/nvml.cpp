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

// The few functions used, as the library's documentation declares them (NVML API Reference).
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

class nvml {
 public:
  nvml() : library_{dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL)} {
    const auto init = function<int()>("nvmlInit_v2");
    ready_ = init != nullptr && init() == 0;
  }
  [[nodiscard]] bool ready() const { return ready_; }

  template <class Signature> [[nodiscard]] Signature* function(const char* name) const {
    return library_ == nullptr ? nullptr : reinterpret_cast<Signature*>(dlsym(library_, name));
  }

 private:
  void* library_;
  bool ready_ = false;
};

const nvml& the_library() {
  static const nvml library;
  return library;
}

// Null where there is no library, or it does not know the device.
handle device_with(const std::string& uuid) {
  const nvml& library = the_library();
  handle device = nullptr;
  const auto find = library.function<int(const char*, handle*)>("nvmlDeviceGetHandleByUUID");
  if (!library.ready() || find == nullptr || find(uuid.c_str(), &device) != 0) return nullptr;
  return device;
}

nlohmann::json ask_now(const std::string& uuid) {
  const nvml& library = the_library();
  auto said = nlohmann::json::object();
  const handle device = device_with(uuid);
  if (device == nullptr) return said;

  unsigned long long reasons = 0;
  for (const char* name : {"nvmlDeviceGetCurrentClocksEventReasons",
                           "nvmlDeviceGetCurrentClocksThrottleReasons"}) {  // its name before 12.2
    const auto ask = library.function<int(handle, unsigned long long*)>(name);
    if (ask == nullptr || ask(device, &reasons) != 0) continue;
    said["clock_reasons"] = nlohmann::json::array();
    for (const auto& [bit, text] : reason_names) {
      if ((reasons & bit) != 0) said["clock_reasons"].push_back(text);
    }
    break;
  }
  unsigned value = 0;
  if (const auto ask = library.function<int(handle, int, unsigned*)>("nvmlDeviceGetTemperature");
      ask != nullptr && ask(device, 0, &value) == 0)
    said["temperature_c"] = value;
  if (const auto ask = library.function<int(handle, unsigned*)>("nvmlDeviceGetPowerUsage");
      ask != nullptr && ask(device, &value) == 0)
    said["power_w"] = value / 1000.0;
  std::vector<process_info> processes(64);
  auto count = static_cast<unsigned>(processes.size());
  if (const auto ask = library.function<int(handle, unsigned*, process_info*)>(
          "nvmlDeviceGetComputeRunningProcesses_v3");
      ask != nullptr && ask(device, &count, processes.data()) == 0) {
    // In a container the library counts in another name space of pids: all but one are others then.
    said["other_processes"] = count == 0 ? 0 : count - 1;
  }
  return said;
}

std::map<std::string, unsigned> ask_utilization(const std::vector<std::string>& uuids) {
  struct percents {
    unsigned kernels, memory;
  };
  const auto ask = the_library().function<int(handle, percents*)>("nvmlDeviceGetUtilizationRates");
  std::map<std::string, unsigned> found;
  for (const std::string& uuid : uuids) {
    percents said{};
    const handle device = ask == nullptr ? nullptr : device_with(uuid);
    if (device != nullptr && ask(device, &said) == 0) found[uuid] = said.kernels;
  }
  return found;
}

}  // namespace

std::map<std::string, unsigned> busy_percents(const std::vector<std::string>& uuids) {
  constexpr unsigned idle_percent = 5;  // as the driver has it
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
  const auto ask =
      the_library().function<int(handle, unsigned, unsigned*)>("nvmlDeviceGetNvLinkState");
  unsigned active = 0;
  for (unsigned link = 0; device != nullptr && ask != nullptr && link < most_links; ++link) {
    unsigned is_active = 0;
    if (ask(device, link, &is_active) == 0 && is_active == 1) ++active;
  }
  return active;
}

nlohmann::json ask_nvml(const std::string& uuid) {
  using clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds fresh{250};
  static std::string asked_for;
  static clock::time_point asked_at;
  static nlohmann::json said;
  if (asked_for != uuid || clock::now() - asked_at > fresh) {
    said = ask_now(uuid);
    asked_for = uuid;
    asked_at = clock::now();
  }
  return said;
}

}  // namespace syncmeter::cuda
