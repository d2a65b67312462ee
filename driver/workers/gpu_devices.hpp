// The GPUs that a worker found, as its capabilities tell of them, and what of a launch fits on one.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/point.hpp"

namespace syncmeter {

struct worker_info;

/// One GPU.
struct gpu_device {
  unsigned index = 0;
  std::string name, compute_capability, uuid;
  unsigned multiprocessors = 1;
  unsigned max_threads_per_block = 1024;
  unsigned max_threads_per_multiprocessor = 1024;
  unsigned max_blocks_per_multiprocessor = 1;
  unsigned warp_size = 32;
  std::uint64_t l2_bytes = 0, memory_bytes = 0;
  unsigned devices = 1;                    ///< of this host, itself included
  std::optional<unsigned> busy_percent{};  ///< of the time just before it was found; unknown: none
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

}  // namespace syncmeter
