// Contents of a worker's `capabilities` line (docs/reference/worker-protocol.md): ops and usable
// GPUs. Also finds flaws in the line: `check-worker` reports flaws to the worker's author, while
// `run` uses the valid part.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/axes.hpp"
#include "core/point.hpp"
#include "record/fields.hpp"

namespace syncmeter {

struct worker_info;

/// Default for a member that a worker must send.
struct required_member {
  template <class Field> operator Field() const { return {}; }
};
inline constexpr required_member required{};

/// One GPU: the members of record/gpu.def.
struct gpu_device {
#define SM_MEMBER(name, kind, absent, ...) SM_FIELD_##kind(name, absent)
#include "record/gpu.def"
  unsigned devices = 1;  ///< all GPUs of this host
};

/// GPU facts from a backend. `devices` is empty without a usable GPU.
struct gpu_backend {
  std::vector<std::string> architectures;
  std::vector<gpu_device> devices;
};

/// Returns how many blocks run at once on the whole device by the device's limits, at least one per
/// multiprocessor. A kernel's registers and shared memory may allow fewer blocks, which only the
/// worker knows.
[[nodiscard]] unsigned co_resident_blocks(const gpu_device& gpu, unsigned threads);

/// Returns the warps of a launch. If one lane per warp works, this is the number of lanes.
[[nodiscard]] unsigned warps_of(const point& p, unsigned warp_size = 32);

/// Returns null for a backend on CPUs or an unknown backend.
[[nodiscard]] const gpu_backend* gpus_of(const std::vector<worker_info>& workers,
                                         const std::string& backend);

/// Returns the GPU with this index. Throws usage_error with a list of GPUs if no GPU has the index.
[[nodiscard]] const gpu_device& chosen_gpu(const gpu_backend& gpus, const std::string& backend,
                                           unsigned index);

/// Returns why a backend cannot measure here although its worker answers, or an empty text.
[[nodiscard]] std::string problem_of(const worker_info& worker, const std::string& backend);

/// Returns the number of devices that a point uses, including the measured device.
[[nodiscard]] unsigned gpus_taking_part(const point& what);

/// Returns a sentence for each backend with a problem. Callers use the sentences when the user
/// named no backend.
[[nodiscard]] std::vector<std::string> left_out(const std::vector<worker_info>& workers);

namespace objects {
/// Instruction set -> declared instructions of one op.
using declares = std::map<std::string, std::string>;
}  // namespace objects

/// One entry of a worker's capabilities: the members of record/op.def.
struct capability {
#define SM_MEMBER(name, kind, absent, ...) SM_FIELD_##kind(name, absent)
#include "record/op.def"
  nlohmann::json census{};  ///< census_summary, if the worker has a census file, else null
};

/// A worker on this machine and its capabilities.
struct worker_info {
  std::string name;  ///< "omp"
  std::string path;
  std::string problem;  ///< why the worker cannot be used, or empty
  std::vector<std::string> backends;
  std::set<std::string> pooled{};  ///< backends that start threads once: a process serves one
                                   ///< number of lanes
  std::map<std::string, std::string> native_of{};  ///< native backend to compare with, for each
                                                   ///< portable backend
  std::map<std::string, gpu_backend> gpus{};       ///< facts of each GPU backend
  std::map<std::string, std::string> backend_problems{};  ///< why a backend cannot measure here
                                                          ///< (its ops are listed anyway)
  std::vector<std::string> passed_over{};                 ///< sentences about unused parts
  nlohmann::json build;                                   ///< the "build" object
  std::vector<capability> capabilities;
  std::string arm{};                       ///< from `syncmeter ab`, empty elsewhere
  std::vector<std::string> environment{};  ///< NAME=VALUE of the arm

  /// Returns a label for messages: "omp", or "omp of old" in an arm.
  [[nodiscard]] std::string label() const { return arm.empty() ? name : name + " of " + arm; }

  /// Removes a backend and its ops.
  void take_away(const std::string& backend);
};

/// Returns the native backend to compare a portable backend with, or an empty text for a native
/// backend.
[[nodiscard]] std::string native_of(const std::vector<worker_info>& workers,
                                    const std::string& backend);
/// Returns whether a backend's API runs on many kinds of device through native backends.
[[nodiscard]] bool is_portable(const std::vector<worker_info>& workers, const std::string& backend);

/// Returns half a sentence if this driver does not know the line's protocol, or nothing. Every
/// minor version is accepted.
[[nodiscard]] std::string flaw_in_protocol(const nlohmann::json& line);

/// Reads backends, build and capabilities from the line. Sets info.problem if the line is invalid.
/// Never throws for the line's contents.
void read_capabilities(const nlohmann::json& line, worker_info& info);

/// Returns a sentence for each contradiction that the schema cannot express. `info` must be read
/// from `line` without a problem.
[[nodiscard]] std::vector<std::string> capability_flaws(const nlohmann::json& line,
                                                        const worker_info& info);

}  // namespace syncmeter
