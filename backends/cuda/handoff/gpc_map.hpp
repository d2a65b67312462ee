// Groups multiprocessors by graphics processing cluster (GPC), from the evidence of launches.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backends/cuda/runtime/cuda_device.hpp"

namespace syncmeter::cuda {

struct gpc_map {
  /// The GPC number per multiprocessor, -1 if no launch showed it.
  std::vector<int> gpcs{};
  std::string why_unknown{};  ///< the reason for an empty `gpcs`
};

/// Returns the GPCs of a device, probed once per device. A cluster's blocks run on one GPC (CUDA
/// C++ Programming Guide, "Thread Block Clusters"). Multiprocessors in overlapping clusters
/// therefore share a GPC.
[[nodiscard]] const gpc_map& gpcs_of(const device_facts& device);

/// Returns nullopt if no launch showed it.
[[nodiscard]] std::optional<bool> in_one_gpc(const std::vector<int>& gpcs, unsigned one,
                                             unsigned other);

/// Derives GPCs from launches: `places[i]` is the multiprocessor of block i, and `size` blocks form
/// a cluster. GPC numbers follow their first multiprocessor.
[[nodiscard]] std::vector<int> gpcs_from(const std::vector<unsigned>& places, unsigned size,
                                         unsigned multiprocessors);

}  // namespace syncmeter::cuda
