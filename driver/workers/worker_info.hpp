// What a worker lists in its `capabilities` line (docs/worker-protocol.md): its ops, and the GPUs
// that it can use; and what is wrong with such a line: `check-worker` reports it to a worker's
// author, `run` uses what can be used.
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

/// The default of a member that a worker has to send.
struct required_member {
  template <class Field> operator Field() const { return {}; }
};
inline constexpr required_member required{};

/// One GPU: the members of record/gpu.def.
struct gpu_device {
#define SM_MEMBER(name, kind, absent, ...) SM_FIELD_##kind(name, absent)
#include "record/gpu.def"
  unsigned devices = 1;  ///< of this host, itself included
};

/// What a backend that runs on GPUs says of them. Without a usable GPU `devices` is empty.
struct gpu_backend {
  std::vector<std::string> architectures;
  std::vector<gpu_device> devices;
};

/// Blocks of so many threads that run at once on the whole device as far as its own limits go; a
/// kernel's registers and shared memory may allow fewer, which only its worker knows. At least one
/// for each multiprocessor.
[[nodiscard]] unsigned co_resident_blocks(const gpu_device& gpu, unsigned threads);

/// Warps of a launch: where one lane of each works, its lanes.
[[nodiscard]] unsigned warps_of(const point& p, unsigned warp_size = 32);

/// Null for a backend that runs on CPUs, or that no worker has.
[[nodiscard]] const gpu_backend* gpus_of(const std::vector<worker_info>& workers,
                                         const std::string& backend);

/// The GPU of that index. Throws usage_error that lists the GPUs when there is none.
[[nodiscard]] const gpu_device& chosen_gpu(const gpu_backend& gpus, const std::string& backend,
                                           unsigned index);

/// Why a backend can measure nothing here although its worker is well; empty when it can.
[[nodiscard]] std::string problem_of(const worker_info& worker, const std::string& backend);

/// The devices that a point works on: the one that it is measured on, and those behind it.
[[nodiscard]] unsigned gpus_taking_part(const point& what);

/// One sentence for each backend that is left out for its problem, when none was asked for by name.
[[nodiscard]] std::vector<std::string> left_out(const std::vector<worker_info>& workers);

namespace objects {
/// Instruction set -> declared instructions of one op.
using declares = std::map<std::string, std::string>;
}  // namespace objects

/// One entry of a worker's capabilities: the members of record/op.def.
struct capability {
#define SM_MEMBER(name, kind, absent, ...) SM_FIELD_##kind(name, absent)
#include "record/op.def"
  nlohmann::json census{};  ///< census_summary, when one was kept beside the worker; else null
};

/// A worker found on this machine and what it lists.
struct worker_info {
  std::string name;  ///< "omp"
  std::string path;
  std::string problem;  ///< why it cannot be used; empty when it can
  std::vector<std::string> backends;
  std::set<std::string> pooled{};  ///< those of the backends that start their threads once: a
                                   ///< process serves one number of lanes
  std::map<std::string, std::string> native_of{};  ///< of the portable ones, the backend that each
                                                   ///< is compared with
  std::map<std::string, gpu_backend> gpus{};       ///< facts of those backends that run on GPUs
  std::map<std::string, std::string> backend_problems{};  ///< why a backend can measure nothing
                                                          ///< here; its ops are listed all the same
  std::vector<std::string> passed_over{};                 ///< sentences on what of it is not used
  nlohmann::json build;                                   ///< its "build" object
  std::vector<capability> capabilities;
  std::string arm{};                       ///< of `syncmeter ab`; empty elsewhere
  std::vector<std::string> environment{};  ///< NAME=VALUE of its arm

  /// For messages: "omp", or "omp of old" in an arm.
  [[nodiscard]] std::string label() const { return arm.empty() ? name : name + " of " + arm; }

  /// Forgets one of its backends.
  void take_away(const std::string& backend);
};

/// The backend that a portable one is compared with, as its worker says; empty for a native one.
[[nodiscard]] std::string native_of(const std::vector<worker_info>& workers,
                                    const std::string& backend);
/// Whether a backend stands for an API that runs on many kinds of device through native ones.
[[nodiscard]] bool is_portable(const std::vector<worker_info>& workers, const std::string& backend);

/// Whether a `capabilities` or `worker` line is of a protocol that this driver speaks: what is
/// wrong in half a sentence, or nothing. Another minor version makes no difference.
[[nodiscard]] std::string flaw_in_protocol(const nlohmann::json& line);

/// Fills in backends, build and capabilities from the whole line; why they cannot be read becomes
/// info.problem. Never throws for what the line holds.
void read_capabilities(const nlohmann::json& line, worker_info& info);

/// Returns a sentence for each contradiction in a `capabilities` line that was read into `info`
/// without a problem: what the schema of a line cannot say.
[[nodiscard]] std::vector<std::string> capability_flaws(const nlohmann::json& line,
                                                        const worker_info& info);

}  // namespace syncmeter
