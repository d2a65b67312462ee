#include "backends/omp_target/target_device.hpp"

#include <dlfcn.h>
#include <omp.h>
#include <strings.h>

#include <array>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <utility>

#include <fmt/format.h>

namespace syncmeter::omp_target {
namespace {

using nlohmann::json;

// Calls CUDA's driver by its library's function names, because OpenMP does not describe devices.
class driver {
 public:
  driver() : library_{::dlopen("libcuda.so.1", RTLD_NOW)} {}

  template <class... Arguments> bool call(const char* name, Arguments... arguments) const {
    void* const found = library_ == nullptr ? nullptr : ::dlsym(library_, name);
    return found != nullptr && reinterpret_cast<int (*)(Arguments...)>(found)(arguments...) == 0;
  }
  [[nodiscard]] bool is_loaded() const { return library_ != nullptr; }

 private:
  void* library_;
};

constexpr std::array<std::pair<std::string_view, int>, 8> attributes{
    {{"max_threads_per_block", 1},
     {"warp_size", 10},
     {"multiprocessors", 16},
     {"l2_bytes", 38},
     {"max_threads_per_multiprocessor", 39},
     {"major", 75},
     {"minor", 76},
     {"max_blocks_per_multiprocessor", 106}}};

json facts_of(const driver& cuda, int index) {
  json facts{{"index", index}};
  std::array<char, 256> name{};
  std::array<unsigned char, 16> uuid{};
  std::size_t memory = 0;
  cuda.call("cuDeviceGetName", name.data(), static_cast<int>(name.size()), index);
  cuda.call("cuDeviceTotalMem_v2", &memory, index);
  cuda.call("cuDeviceGetUuid", uuid.data(), index);
  for (const auto& [fact, attribute] : attributes) {
    int value = 0;
    cuda.call("cuDeviceGetAttribute", &value, attribute, index);
    facts[std::string{fact}] = value;
  }
  std::string text = "GPU";
  for (std::size_t i = 0; i < uuid.size(); ++i) {
    if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", uuid[i]);
  }
  facts["name"] = name.data();
  facts["memory_bytes"] = memory;
  facts["uuid"] = text;
  facts["compute_capability"] =
      fmt::format("{}.{}", facts["major"].get<int>(), facts["minor"].get<int>());
  facts.erase("major");
  facts.erase("minor");
  return facts;
}

json facts_of_host() {
  return {{"index", 0},
          {"name", "the host (OMP_TARGET_OFFLOAD=disabled)"},
          {"compute_capability", "0.0"},
          {"multiprocessors", std::thread::hardware_concurrency()},
          {"max_threads_per_block", 1024},
          {"max_threads_per_multiprocessor", 1024},
          {"max_blocks_per_multiprocessor", 1},
          {"warp_size", 32},
          {"l2_bytes", 0},
          {"memory_bytes", 0},
          {"uuid", "host"}};
}

// Returns a text about the first GPU that cannot load the compiled code, or an empty text. libgomp
// would end the process in its first region.
std::string too_old_text(const json& devices) {
  constexpr double built_for = SM_OFFLOAD_SM / 10.0;
  for (const json& facts : devices) {
    const auto capability = facts["compute_capability"].get<std::string>();
    if (std::stod(capability) < built_for)
      return fmt::format("GPU {} ({}) has compute capability {}, and target regions are compiled "
                         "for {:.1f} or newer: CUDA_VISIBLE_DEVICES can leave it out",
                         facts["index"].get<int>(), facts["name"].get<std::string>(), capability,
                         built_for);
  }
  return "";
}

found_devices asked() {
  found_devices found;
  if (runs_on_host()) {
    found.devices.push_back(facts_of_host());
    return found;
  }
  const driver cuda;
  int count = 0;
  if (!cuda.is_loaded()) found.problem = "no CUDA driver: libcuda.so.1 was not found";
  else if (!cuda.call("cuInit", 0U) || !cuda.call("cuDeviceGetCount", &count) || count == 0)
    found.problem = "no CUDA device";
  for (int index = 0; index < count; ++index) found.devices.push_back(facts_of(cuda, index));
  if (found.problem.empty()) found.problem = too_old_text(found.devices);
  if (found.problem.empty() && omp_get_num_devices() == 0)
    found.problem = "libgomp found no device: its plugin for NVIDIA GPUs (Debian: "
                    "libgomp-plugin-nvptx1) is not installed, or refused the device";
  if (found.problem.empty()) return found;
  found.devices.clear();
  found.problem += "; with OMP_TARGET_OFFLOAD=disabled the host runs target regions";
  return found;
}

}  // namespace

bool runs_on_host() {
  const char* const offload = std::getenv("OMP_TARGET_OFFLOAD");
  return offload != nullptr && ::strcasecmp(offload, "disabled") == 0;
}

const found_devices& find_devices() {
  static const found_devices found = asked();
  return found;
}

}  // namespace syncmeter::omp_target
